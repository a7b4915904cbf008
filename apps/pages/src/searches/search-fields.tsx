import { type Device, readDeviceScopes } from '@homeward/contract/device-cloud'
import { type ReactNode, useMemo } from 'react'
import { CheckboxGroup, FieldError, Label } from 'react-aria-components'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import './search-fields.css'
import { FileConditions } from './file-conditions.tsx'
import type { SearchDraft } from './search-draft.ts'

interface SearchFieldsProps {
  readonly draft: SearchDraft
  readonly problems: Partial<Record<keyof SearchDraft, string>>
  /** Devices that were read: the scopes that they declare are offered. */
  readonly devices: readonly Device[]
  readonly onChange: (draft: SearchDraft) => void
  /** A button beside the words, where it is in sight. */
  readonly action?: ReactNode
}

const usual = [
  { scope: 'files', label: 'Files' },
  { scope: 'apps', label: 'Apps' },
  { scope: 'system', label: 'System' },
]

/** What to search for, and where on the devices. */
export function SearchFields({ draft, problems, devices, onChange, action }: SearchFieldsProps) {
  const offered = useMemo(() => offerScopes(devices), [devices])
  const isOffered = (given: string) => offered.some(({ scope }) => scope === given)
  const others = draft.scopes.filter((scope) => !isOffered(scope))
  return (
    <>
      <div className="search-words">
        <TextField
          label="Search for"
          value={draft.query}
          onChange={(query) => onChange({ ...draft, query })}
          errorMessage={problems.query}
          autoFocus
          description="Words in any order, or a pattern such as *.pdf. May be empty if you choose a kind, time or size."
        />
        {action}
      </div>
      <CheckboxGroup
        className="field"
        value={draft.scopes.filter(isOffered)}
        onChange={(scopes) => onChange({ ...draft, scopes: [...scopes, ...others] })}
        isInvalid={problems.scopes !== undefined}
      >
        <Label className="field-label">In</Label>
        <div className="checkbox-row">
          {offered.map(({ scope, label }) => (
            <CheckboxField key={scope} value={scope} label={label} />
          ))}
        </div>
        <FieldError className="field-error">{problems.scopes}</FieldError>
      </CheckboxGroup>
      <FileConditions
        draft={draft.files}
        onChange={(changed) => onChange({ ...draft, files: { ...draft.files, ...changed } })}
      />
      <Disclosure title="More options">
        <div className="grid">
          <NumberField
            label="Give up after (minutes)"
            value={draft.ttlMinutes}
            onChange={(ttlMinutes) => onChange({ ...draft, ttlMinutes })}
            minValue={1}
            maxValue={10_080}
            errorMessage={problems.ttlMinutes}
            description="A device that has not answered by then counts as failed."
          />
          <TokenField
            label="Other scopes"
            values={others}
            onChange={(scopes) =>
              onChange({ ...draft, scopes: [...draft.scopes.filter(isOffered), ...scopes] })
            }
            description="Scopes that your device agents support but do not declare."
          />
        </div>
      </Disclosure>
    </>
  )
}

/** More boxes than this are not read. */
const maxOffered = 12

/** The documented scopes, and those that devices declare, by the titles that they give them. */
function offerScopes(devices: readonly Device[]) {
  const declared = new Map(usual.map(({ scope, label }) => [scope, label]))
  for (const { metadata } of devices) {
    for (const { name, title } of readDeviceScopes(metadata)) {
      if (declared.size >= maxOffered) break
      if (!declared.has(name)) declared.set(name, title ?? (name === 'content' ? 'Text in files' : name))
    }
  }
  return [...declared].map(([scope, label]) => ({ scope, label }))
}
