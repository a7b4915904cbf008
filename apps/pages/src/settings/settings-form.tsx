import { type SettingKey, type SettingsView, settingRows } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { platformToken } from '../api/access-token.ts'
import { toFieldErrors } from '../api/field-errors.ts'
import { platform, takesToken, usePlatformMutation } from '../api/platform.ts'
import { refresh } from '../api/refresh.ts'
import { ErrorState } from '../components/states/error-state.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { FormBar } from '../components/fields/form-bar.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { changedBySomebodyElse, changedElsewhere } from '../components/fields/use-clashes.ts'
import { useClashes } from '../components/fields/use-clashes.ts'
import { SettingField, type SettingsDraft } from './setting-field.tsx'

/** What a {@link SettingsForm} takes. */
interface SettingsFormProps {
  readonly settings: SettingsView
  readonly keys: readonly SettingKey[]
  /** Settings that few people change: folded, below the others, which then stand in one column. */
  readonly more?: readonly SettingKey[]
}

/** Some settings, saved together. Secrets are sent and forgotten: none is shown, and none stays in the page. */
export function SettingsForm({ settings, keys: first, more }: SettingsFormProps) {
  const keys = more ? [...first, ...more] : first
  const [isUnfolded, setIsUnfolded] = useState(false)
  const [draft, setDraft] = useState<SettingsDraft>({})
  /** Fields of secrets begin anew with each of them. */
  const [round, setRound] = useState(0)
  const clashes = useClashes<SettingsView, SettingKey>(settings)
  const [isReading, setIsReading] = useState(false)
  const queries = useQueryClient()
  const save = usePlatformMutation('updateSettings', {
    async onSuccess({ overridden }, input) {
      const { body: sent } = input as { readonly body: SettingsDraft } // what this form sent
      setDraft((now) =>
        Object.fromEntries(Object.entries(now).filter(([key, value]) => sent[key as SettingKey] !== value)),
      )
      setRound((before) => before + 1)
      const { api_token: token } = sent
      if (typeof token === 'string' && (await takesToken(token.trim()))) platformToken.save(token.trim())
      // What was sent is not kept either.
      save.reset()
      // Settings among them: a read that was under way may be older than what was saved.
      for (const id of ['getSettings', 'getChannelStatus', 'getStoreRegistry', 'listModels'])
        void refresh(queries, { queryKey: [id] })
      const after = await platform.getSettings().catch(() => undefined)
      if (after) queries.setQueryData(['getSettings', {}], after)
      clashes.settle(after ?? settings)
      showOutcome(overridden !== undefined)
    },
  })
  const { fields, rest } = toFieldErrors(save.error, keys)
  const isDirty = Object.keys(draft).length > 0
  const notes = Object.fromEntries(clashes.told.map((key) => [key, changedElsewhere]))
  const problems: Readonly<Record<string, string>> = { ...notes, ...fields }
  const told = clashes.told.join(' ')

  function change(setting: SettingKey, value: string | null | undefined): void {
    if (draft[setting] === undefined) clashes.learn(shownOf(setting, settings))
    setDraft(({ [setting]: _before, ...others }) =>
      value === undefined ? others : { ...others, [setting]: value },
    )
  }

  async function send(): Promise<void> {
    setIsReading(true)
    // What cannot be read cannot be saved either.
    const now = await platform.getSettings().catch(() => settings)
    setIsReading(false)
    const isFree = clashes.mayReplace(now, (known) => clashingSettings(draft, known, now))
    if (isFree) save.mutate({ body: draft })
  }

  function reset(): void {
    setDraft({})
    clashes.settle(settings)
    setRound((before) => before + 1)
  }

  const toField = (setting: SettingKey) => (
    <SettingField
      key={`${setting} ${round}`}
      setting={setting}
      settings={settings}
      draft={draft}
      onChange={change}
      errorMessage={problems[setting]}
    />
  )
  return (
    <SubmitForm onSubmit={() => void send()} error={save.error ?? told}>
      <div className={more ? 'field-column' : 'field-grid'}>{first.map(toField)}</div>
      {more && (
        <Disclosure
          title="More settings"
          isExpanded={isUnfolded || more.some((key) => problems[key] !== undefined)}
          onExpandedChange={setIsUnfolded}
        >
          <div className="field-grid">{more.map(toField)}</div>
        </Disclosure>
      )}
      {rest && <ErrorState error={rest} isInline />}
      <FormBar isDirty={isDirty} isPending={isReading || save.isPending} onReset={reset}>
        {told && <span className="field-error">{changedBySomebodyElse}</span>}
      </FormBar>
      <LeaveGuard isDirty={isDirty} />
    </SubmitForm>
  )
}

/** People should not look elsewhere for the reason why nothing has changed (A13). */
function showOutcome(isOverridden: boolean): void {
  if (!isOverridden) return showToast({ title: 'Saved' })
  showToast({
    tone: 'info',
    title: 'Saved, but an environment variable overrides it',
    text: 'Remove the variable from the environment of the server, then restart the server.',
  })
}

/** What a draft changes that is no longer as it was known. */
function clashingSettings(draft: SettingsDraft, known: SettingsView, now: SettingsView): SettingKey[] {
  return (Object.keys(draft) as SettingKey[]).filter((key) => {
    const shown = shownNameOf(key)
    const [mine, theirs] = [draft[key], now[shown]]
    return mine !== undefined && theirs !== known[shown] && (mine ?? '') !== (theirs || '')
  })
}

/** What shows of one setting. */
function shownOf(key: SettingKey, settings: SettingsView): Partial<SettingsView> {
  const shown = shownNameOf(key)
  return { [shown]: settings[shown] }
}

/** Of a secret only whether it is set. */
const shownNameOf = (key: SettingKey) => (settingRows[key].secret ? (`has_${key}` as const) : key)
