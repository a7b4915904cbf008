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

/** Why a model cannot be asked, as far as its name tells; an empty one is the server's to refuse. */
export function modelProblem({
  model,
  provider,
}: Pick<AgentDraft, 'model' | 'provider'>): Readonly<Record<string, string>> {
  const name = model.trim()
  if (name === '' || provider.trim() !== '' || /^[^/]+\/./.test(name)) return {}
  return {
    model: `"${name}" names no provider or no model. Write it as "provider/model-id", such as "openai/gpt-5".`,
  }
}
