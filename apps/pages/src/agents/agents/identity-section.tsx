import { TextField } from '../../components/fields/text-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { AgentTopic } from './agent-topic.tsx'

interface IdentitySectionProps extends AgentSectionProps {
  readonly isNew: boolean
}

const fields = ['id', 'description']

/** How people and programs know the agent. */
export function IdentitySection({ draft, onChange, errors, isNew, isFolded }: IdentitySectionProps) {
  return (
    <AgentTopic
      title={isNew ? 'Id and description' : 'Description'}
      fields={fields}
      errors={errors}
      isFolded={isFolded}
    >
      {isNew && (
        <TextField
          label="Id"
          value={draft.id}
          onChange={(id) => onChange({ id })}
          errorMessage={errors.id}
          placeholder="chosen by the server"
          description="Programs use this id. You cannot change it later."
          maxLength={64}
        />
      )}
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => onChange({ description })}
        errorMessage={errors.description}
        description="Shown to people, and to other agents that can call this agent."
        maxLength={2000}
      />
    </AgentTopic>
  )
}
