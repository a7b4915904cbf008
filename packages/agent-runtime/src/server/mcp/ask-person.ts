import type { Json, JsonObject, Run, Wait, WaitAnswer } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { type McpAnswers, type McpQuestion, type McpQuestions, truncateText } from '@homeward/contract/mcp'
import {
  entriesOf,
  fieldsOf,
  isText,
  type QuestionField,
  readAnswer,
  typeOf,
} from '../../channels/questions/question-form.ts'
import type { AgentContext } from './agent-tools.ts'

// Shows the waits of a run as questions to the person who uses the MCP client.

/** Most questions at once. The client asks the others when these are settled. */
const maxQuestions = 10
const maxMessage = 2000
/** Name of the only field if the answer is not an object. */
const wholeName = 'answer'

type Problems = ReadonlyMap<string, string>

/**
 * The questions of a run that waits. The state that comes back is the id of the run. A client that changes the state can do no
 * more than call the routes, because each route checks its caller.
 *
 * @param problems by the id of the wait, why the answer before did not fit
 * @returns undefined if the client can put none of them to its user: then the result says in words what the run waits for
 */
export function questionsOf(
  { id, status, waits }: Run,
  { canAsk }: Pick<AgentContext, 'canAsk'>,
  problems: Problems = new Map(),
): McpQuestions | undefined {
  if (status !== 'waiting') return undefined
  const questions = waits
    .filter((wait) => wait.status === 'open')
    .flatMap((wait) => {
      const question = toQuestion(wait, problems.get(wait.id))
      return question && canAsk.has(question.mode) ? [[wait.id, question] as const] : []
    })
    .slice(0, maxQuestions)
  return questions.length > 0 ? { questions: Object.fromEntries(questions), state: id } : undefined
}

function toQuestion(wait: Wait, problem: string | undefined): McpQuestion | undefined {
  const { kind, tool, args, url } = wait
  const text =
    kind === 'approval' ? `Approve the call of ${tool}? Its arguments: ${JSON.stringify(args)}` : wait.message
  const shown = [...(problem === undefined ? [] : [problem]), ...(text === undefined ? [] : [text])]
  const message = truncateText(shown.join('\n\n'), maxMessage)
  if (kind === 'login') return url === undefined ? undefined : { mode: 'url', message, url }
  if (kind === 'approval') return { mode: 'form', message, schema: decisionForm }
  if (kind === 'budget') return { mode: 'form', message, schema: continueForm }
  return kind === 'question' ? { mode: 'form', message, schema: toForm(wait) } : undefined
}

const decisionForm: JsonObject = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      oneOf: [
        { const: 'approve', title: 'Approve' },
        { const: 'deny', title: 'Deny' },
      ],
    },
  },
  required: ['decision'],
}

const continueForm: JsonObject = {
  type: 'object',
  properties: { continue: { type: 'boolean', title: 'Continue' } },
  required: ['continue'],
}

/** A schema in the few forms that the protocol has. Other fields are texts in JSON. */
function toForm({ schema }: Pick<Wait, 'schema'>): JsonObject {
  const fields = fieldsOf({ schema })
  const names = fields.map(({ name = wholeName }) => name)
  const required = Array.isArray(schema?.['required']) ? schema['required'] : []
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field, place) => [names[place]!, toProperty(field)])),
    required: fields.flatMap(({ name }) =>
      name === undefined ? [wholeName] : required.includes(name) ? [name] : [],
    ),
  }
}

const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const
const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

function toProperty(field: QuestionField): JsonObject {
  const { schema, options } = field
  const type = typeOf(schema)
  const { title, description, format } = schema
  const shared = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...Object.fromEntries(
      bounds.flatMap((name) => (typeof schema[name] === 'number' ? [[name, schema[name]]] : [])),
    ),
  }
  if (type === 'boolean') return { type, ...shared, ...defaultOf(schema, 'boolean') }
  const entries = entriesOf(field)
  if (entries && entries.options.length > 0)
    return { type: 'array', ...shared, items: { anyOf: toChoices(entries) } }
  if (options.length > 0) return { type: 'string', ...shared, oneOf: toChoices(field) }
  if (type === 'integer' || type === 'number') return { type, ...shared, ...defaultOf(schema, 'number') }
  if (isText(field))
    return {
      type: 'string',
      ...shared,
      ...(formats.includes(format) && { format }),
      ...defaultOf(schema, 'string'),
    }
  const hint = entries ? 'Separate entries by commas.' : 'In JSON.'
  return {
    type: 'string',
    ...(shared.title !== undefined && { title: shared.title }),
    description: [shared.description ?? [], hint].flat().join(' '),
  }
}

const toChoices = ({ options }: QuestionField) => options.map(({ label }) => ({ const: label, title: label }))

const defaultOf = ({ default: value }: JsonObject, type: 'boolean' | 'number' | 'string') =>
  typeof value === type ? { default: value as Json } : {}

/**
 * Settles what a person answered.
 *
 * @returns by the id of the wait, why an answer does not fit: then its question is put again
 */
export async function settleAnswers(
  { id, waits }: Run,
  { answers }: McpAnswers,
  { client, signal }: AgentContext,
): Promise<Problems> {
  const problems = new Map<string, string>()
  for (const wait of waits) {
    const answer = answers[wait.id]
    if (wait.status !== 'open' || !answer || answer.action === 'cancel') continue
    const body =
      answer.action === 'decline' ? { decline: true as const } : toAnswer(wait, answer.content ?? {})
    if (!body) continue
    try {
      await client.answerWait({ params: { id, wait_id: wait.id }, body, signal })
    } catch (error) {
      // settled by somebody else meanwhile
      if (!ClientError.is(error) || (error.status !== 400 && error.status !== 409)) throw error
      if (error.status === 400) problems.set(wait.id, error.detail ?? error.message)
    }
  }
  return problems
}

/** Undefined for a login: the login itself settles the wait. */
function toAnswer(wait: Wait, content: JsonObject): WaitAnswer | undefined {
  const { kind } = wait
  if (kind === 'login') return undefined
  if (kind === 'approval') return { data: { decision: content['decision'] ?? null } }
  if (kind === 'budget')
    return content['continue'] === true ? { data: { continue: true } } : { decline: true }
  const given = fieldsOf(wait).flatMap((field) => {
    const value = content[field.name ?? wholeName]
    return value === undefined || value === null ? [] : [[field.name, toValue(field, value)] as const]
  })
  const [first] = given
  if (first && first[0] === undefined) return { data: first[1] }
  return { data: Object.fromEntries(given.map(([name = wholeName, value]) => [name, value])) }
}

/** Choices come as their labels, and JSON and lists as text. */
function toValue(field: QuestionField, value: Json): Json {
  const entries = entriesOf(field)
  if (Array.isArray(value) && entries) return value.map((entry) => toValue(entries, entry))
  return typeof value === 'string' ? (readAnswer(field, value)?.value ?? value) : value
}
