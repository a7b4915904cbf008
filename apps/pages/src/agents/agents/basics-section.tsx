import { Card } from '../../components/layout/card.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { ModelField } from './model-field.tsx'

/** What every agent needs: a name, a model and what it is told. */
export function BasicsSection({ draft, onChange, errors }: AgentSectionProps) {
  return (
    <Card title="Agent">
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        errorMessage={errors.name}
        maxLength={200}
      />
      <ModelField draft={draft} onChange={onChange} errors={errors} />
      <TextArea
        label="Instructions"
        value={draft.personality}
        onChange={(personality) => onChange({ personality })}
        errorMessage={errors.personality}
        rows={6}
        placeholder="You answer in a few sentences …"
        description="Instructions that the model reads first in every run."
        maxLength={100_000}
      />
    </Card>
  )
}
