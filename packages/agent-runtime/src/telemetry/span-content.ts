import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { cut } from '../json/to-json.ts'
import { withoutNamedSecrets } from '../secrets/redact.ts'
import type { TracedAnswer } from '../ports/instrumentation.ts'
import type { AssistantPart } from '../ports/message.ts'

type Part = Exclude<LanguageModelV4Prompt[number]['content'], string>[number]
type ResultPart = Extract<Part, { type: 'tool-result' }>

/** Characters of one text, which an exporter sends whole. */
const maxChars = 50_000

/** What a model read and wrote, by the GenAI conventions of OpenTelemetry, without secrets and without bytes of files. */
export function toContent({ prompt, parts, finish, redact }: TracedAnswer): Record<string, string> {
  const write = (value: Json) => JSON.stringify(redact(withoutNamedSecrets(value)))
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [toText(content)] : []))
  const input = prompt.flatMap(({ role, content }) =>
    role === 'system' ? [] : [{ role, parts: content.map(toPart) }],
  )
  const output = parts && [
    { role: 'assistant', parts: parts.flatMap(toAnswerPart), finish_reason: finish.replaceAll('-', '_') },
  ]
  return {
    ...(system.length > 0 && { 'gen_ai.system_instructions': write(system) }),
    'gen_ai.input.messages': write(input),
    ...(output && { 'gen_ai.output.messages': write(output) }),
  }
}

const toText = (text: string): JsonObject => ({ type: 'text', content: cut(text, maxChars) })

function toPart(part: Part): JsonObject {
  if (part.type === 'text' || part.type === 'reasoning') return { ...toText(part.text), type: part.type }
  if (part.type === 'tool-call') return toCall(part.toolCallId, part.toolName, part.input as Json) // it was JSON when the model wrote it
  if (part.type === 'tool-result')
    return { type: 'tool_call_response', id: part.toolCallId, response: toResponse(part.output) }
  return part.type === 'file' ? { type: 'file', mime_type: part.mediaType } : { type: part.type }
}

function toResponse(output: ResultPart['output']): Json {
  if (output.type === 'content')
    return output.value.map((part) => (part.type === 'text' ? toText(part.text) : { type: part.type }))
  // it is what a tool returned, or what a provider sent: JSON
  return 'value' in output ? (output.value as Json) : output.type
}

function toAnswerPart(part: AssistantPart): JsonObject[] {
  if (part.type === 'text' || part.type === 'reasoning') return [{ ...toText(part.text), type: part.type }]
  if (part.type === 'tool_call' || part.type === 'hosted_call') return [toCall(part.id, part.name, part.args)]
  if (part.type === 'hosted_result')
    return [{ type: 'tool_call_response', id: part.id, response: part.result }]
  return part.type === 'file' ? [{ type: 'file', mime_type: part.media_type }] : []
}

const toCall = (id: string, name: string, args: Json): JsonObject => ({
  type: 'tool_call',
  id,
  name,
  arguments: args,
})
