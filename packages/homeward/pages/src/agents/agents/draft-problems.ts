import type { AgentDraft } from './agent-draft.ts'
import { ruleProblems } from './approval-rules-draft.ts'
import { jsonTextProblem } from './json-text.ts'

/** Why a form cannot be sent, by the name of the field in the interface: texts that are not JSON, and rules without a tool. */
export function draftProblems({
  provider_options,
  output_schema,
  approvals,
}: AgentDraft): Readonly<Record<string, string>> {
  const options = jsonTextProblem(provider_options)
  const schema = jsonTextProblem(output_schema)
  return {
    ...(options !== undefined && { 'model_settings.provider_options': options }),
    ...(schema !== undefined && { output_schema: schema }),
    ...ruleProblems(approvals),
  }
}
