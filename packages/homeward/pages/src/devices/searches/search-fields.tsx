import { CheckboxGroup, FieldError, Label } from 'react-aria-components'
import { CheckboxField } from '../../components/fields/checkbox-field.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { NumberField } from '../../components/fields/number-field.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { TokenField } from '../../components/fields/token-field.tsx'
import type { SearchDraft } from './search-draft.ts'

interface SearchFieldsProps {
  readonly draft: SearchDraft
  readonly problems: Partial<Record<keyof SearchDraft, string>>
  readonly onChange: (draft: SearchDraft) => void
}

const usual = [
  { scope: 'files', label: 'Files' },
  { scope: 'apps', label: 'Apps' },
  { scope: 'system', label: 'System' },
] as const
const isUsual = (given: string) => usual.some(({ scope }) => scope === given)

/** What to search for, and where on the devices. */
export function SearchFields({ draft, problems, onChange }: SearchFieldsProps) {
  const others = draft.scopes.filter((scope) => !isUsual(scope))
  return (
    <>
      <TextField
        label="Search for"
        value={draft.query}
        onChange={(query) => onChange({ ...draft, query })}
        errorMessage={problems.query}
        isRequired
        autoFocus
        description="Words, part of a name, or a pattern such as *.pdf."
      />
      <CheckboxGroup
        className="field"
        value={draft.scopes.filter(isUsual)}
        onChange={(scopes) => onChange({ ...draft, scopes: [...scopes, ...others] })}
        isInvalid={problems.scopes !== undefined}
      >
        <Label className="field-label">In</Label>
        <div className="checkbox-row">
          {usual.map(({ scope, label }) => (
            <CheckboxField key={scope} value={scope} label={label} />
          ))}
        </div>
        <FieldError className="field-error">{problems.scopes}</FieldError>
      </CheckboxGroup>
      <Disclosure title="More options">
        <div className="grid">
          <NumberField
            label="Give up after (minutes)"
            value={draft.ttlMinutes}
            onChange={(ttlMinutes) => onChange({ ...draft, ttlMinutes })}
            minValue={1}
            maxValue={10_080}
            errorMessage={problems.ttlMinutes}
            description="A device that does not report until then makes the search fail."
          />
          <TokenField
            label="Other places"
            values={others}
            onChange={(scopes) =>
              onChange({ ...draft, scopes: [...draft.scopes.filter(isUsual), ...scopes] })
            }
            description="Scopes that the agents of your devices know besides these."
          />
        </div>
      </Disclosure>
    </>
  )
}
