import { type SettingKey, settingRows, type SettingsView } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from '../api/platform.ts'
import { SecretField } from '../components/fields/secret-field.tsx'
import { SelectField, type SelectOption } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { settingTexts } from './setting-texts.ts'

/** What is to be changed; null clears. */
export type SettingsDraft = { readonly [Key in SettingKey]?: string | null }

/** What a {@link SettingField} takes. */
interface SettingFieldProps {
  readonly setting: SettingKey
  readonly settings: SettingsView
  readonly draft: SettingsDraft
  /** undefined leaves the setting as it is. */
  readonly onChange: (setting: SettingKey, change: string | null | undefined) => void
  readonly errorMessage: string | undefined
}

/** The choice of a setting that is not set. */
const unset = '-'

/** Settings with few values, by the end of their name; the first value is the default. */
const choices: Readonly<Record<string, readonly SelectOption[]>> = {
  openai_api: [
    { value: unset, label: 'Default' },
    { value: 'responses', label: 'Responses' },
    { value: 'chat', label: 'Chat Completions' },
  ],
  telemetry_content: [
    { value: unset, label: 'Off' },
    { value: 'on', label: 'On' },
  ],
  _webhook_verify: [
    { value: 'on', label: 'On' },
    { value: 'off', label: 'Off: anyone can send messages' },
  ],
  _group_access: [
    { value: 'allowlist', label: 'Allowed groups' },
    { value: 'open', label: 'Every group: anyone can add the agent to a group' },
    { value: 'off', label: 'No groups' },
  ],
  _access: [
    { value: 'pairing', label: 'Allowed people: others get a pairing code' },
    { value: 'allowlist', label: 'Allowed people: others get no reply' },
    { value: 'open', label: 'Everyone: strangers can use this agent' },
  ],
}

/** One setting, by the kind that it is. */
export function SettingField({ setting, settings, draft, onChange, errorMessage }: SettingFieldProps) {
  const texts = { ...settingTexts[setting], errorMessage }
  const saved = settings[setting]
  const value = (draft[setting] === undefined ? saved : draft[setting]) ?? ''
  const change = (text: string | null | undefined) => onChange(setting, text)
  // What is as it was is no change.
  const write = (text: string) => change(text === (saved ?? '') ? undefined : text || null)
  if (settingRows[setting].secret) {
    return (
      <SecretField
        {...texts}
        isSet={settings[`has_${setting}`] === true}
        change={draft[setting]}
        onChange={change}
      />
    )
  }
  const options = Object.entries(choices).find(([end]) => setting.endsWith(end))?.[1]
  if (options) {
    const known = options.find((option) => option.value === value) ?? options[0]
    return (
      <SelectField
        {...texts}
        options={options}
        value={known?.value ?? null}
        onChange={(chosen) => write(chosen === unset ? '' : chosen)}
      />
    )
  }
  if (setting.endsWith('_default_agent_id')) {
    return <AgentField {...texts} value={String(value)} onChange={write} />
  }
  return <TextField {...texts} value={String(value)} onChange={write} autoComplete="off" spellCheck="false" />
}

interface AgentFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage: string | undefined
}

const nobody = '-'

function AgentField({ value, onChange, ...texts }: AgentFieldProps) {
  const agents = usePlatformQuery('listAgents').data?.agents ?? []
  const isGone = value !== '' && !agents.some(({ id }) => id === value)
  const options = [
    { value: nobody, label: 'Nobody' },
    ...agents.map(({ id, name }) => ({ value: id, label: name === undefined ? id : `${name} (${id})` })),
    ...(isGone ? [{ value, label: `${value} (missing)` }] : []),
  ]
  return (
    <SelectField
      {...texts}
      options={options}
      value={value || nobody}
      onChange={(chosen) => onChange(chosen === nobody ? '' : chosen)}
    />
  )
}
