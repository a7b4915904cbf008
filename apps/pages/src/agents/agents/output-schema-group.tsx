import { FieldGroup } from '../../components/fields/field-group.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import type { AgentSectionProps } from './agent-section.ts'

/** The form of the agent's output: folded, because most agents write text. */
export function OutputSchemaGroup({ draft, onChange, errors }: AgentSectionProps) {
  return (
    <FieldGroup
      title="Structured output"
      isUsed={draft.output_schema !== ''}
      hasProblem={errors.output_schema !== undefined}
    >
      <TextArea
        label="Output schema (JSON Schema)"
        isCode
        rows={6}
        value={draft.output_schema}
        onChange={(output_schema) => onChange({ output_schema })}
        placeholder='{"type": "object", "properties": {"city": {"type": "string"}}}'
        description="The output of each run is JSON that matches this schema. Leave it empty for plain text."
        errorMessage={errors.output_schema}
      />
    </FieldGroup>
  )
}
