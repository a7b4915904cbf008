import { Card } from '../../components/layout/card.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'

interface IdentitySectionProps extends AgentSectionProps {
  readonly isNew: boolean
}

/** Who the agent is. */
export function IdentitySection({ draft, onChange, errors, isNew }: IdentitySectionProps) {
  return (
    <Card title="Who it is">
      <div className="field-grid">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => onChange({ name })}
          errorMessage={errors.name}
          maxLength={200}
        />
        {isNew && (
          <TextField
            label="Id"
            value={draft.id}
            onChange={(id) => onChange({ id })}
            errorMessage={errors.id}
            placeholder="given by the platform"
            description="How programs name it. It cannot be changed later."
            maxLength={64}
          />
        )}
      </div>
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => onChange({ description })}
        errorMessage={errors.description}
        description="For people, and for other agents that may call it."
        maxLength={2000}
      />
      <TextArea
        label="Personality"
        value={draft.personality}
        onChange={(personality) => onChange({ personality })}
        errorMessage={errors.personality}
        rows={6}
        placeholder="You answer in a few sentences …"
        description="What the model is told before everything else."
        maxLength={100_000}
      />
    </Card>
  )
}
