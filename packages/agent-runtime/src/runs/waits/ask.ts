import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { describeIssues, parserOf, standardOf } from '../../host-input/standard-schema.ts'
import { schemaRemedy, toJsonSchema } from '../../host-input/to-json-schema.ts'
import { createSchemaCheck } from '../../json-schema/schema-problem.ts'
import { isJsonObject } from '../../json/json-object.ts'
import { cut } from '../../json/to-json.ts'
import type { InnerCall, ToolCallPart } from '../../ports/message.ts'
import type { ElicitationQuestion } from '../../ports/elicitation.ts'
import type { ProgramQuestion } from '../../ports/program-question.ts'
import type { Question } from '../../ports/tool.ts'
import { Unanswered } from '../../ports/unanswered.ts'
import type { LoginQuestion } from '../../ports/user-logins.ts'
import type { StoredEffect } from '../../store/ports/effect.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { OpenedWait, Run, SuspendedCall } from '../loop/run.ts'
import type { ClientCall } from './client-tools.ts'

/** What a call has asked that nobody has answered yet. */
export interface Asking {
  /** Key of the call in the ledger. */
  readonly key: string
  /** How many questions it has asked, answered ones too. */
  count: number
  readonly opens: OpenedWait[]
  /** What its MCP server has asked so far. */
  readonly elicited: string[]
  /** Other runs that calls of its program wait for. */
  readonly suspended: Omit<SuspendedCall, 'call'>[]
  /** Entries of the calls of its program, if that waits. */
  readonly kept: StoredEffect[]
  /** Calls that its program has made. */
  inner?: readonly InnerCall[]
  /** Tools that its program may have called before a crash, and must not call twice. */
  uncertain?: readonly string[]
}

/** What `context.ask` rejects with where the call stops: it is made again, from its start, once the answer is there. */
class ParkedCall extends Error {
  override readonly name = 'ParkedCall'

  constructor() {
    super('The call waits for an answer')
  }
}

const maxMessageChars = 10_000
const attempt = 'Asking a question failed:'
const schemaProblem = createSchemaCheck()

/**
 * Gives the stored answer to a question of a call, or notes the question and stops the call.
 *
 * @param place number of the question in its call, from 1 on: answers belong to it unless the question has a key
 * @throws {Unanswered} when the person declined, or nobody answered in time
 */
export async function ask(
  run: Run,
  call: ToolCallPart,
  asking: Asking,
  place: number,
  given: Question | ClientCall | LoginQuestion | ElicitationQuestion | ProgramQuestion,
): Promise<unknown> {
  if ('kind' in given) {
    if (given.kind === 'client_tool') return handOver(run, call, asking)
    if (given.kind === 'program')
      return (await import('../programs/run-program.ts')).runProgram(run, call, asking, given)
    if (given.kind === 'elicitation') {
      const { askElicitation } = await import('./elicitations.ts')
      const asked = await askElicitation(run, call, asking, given, toSchema)
      if ('action' in asked) return asked
      asking.opens.push(asked)
      throw new ParkedCall()
    }
    const login = await (await import('./logins.ts')).askLogin(run, call, given.server)
    if (!login) return undefined
    asking.opens.push(login)
    throw new ParkedCall()
  }
  const { message, schema, key = `#${place}` } = given
  const known = run.answers.find((wait) => wait.callId === call.id && wait.key === key)
  if (known) return toAnswer(known, schema)
  if (typeof message !== 'string' || message.trim() === '')
    throw new Error(`${attempt} "message" must be a text. Write what the person reads.`)
  const asked = schema && (await toSchema(schema))
  const question = { kind: 'question', call, key, message: cut(message, maxMessageChars) } as const
  asking.opens.push({ ...question, ...(asked && { schema: asked }) })
  throw new ParkedCall()
}

/** A call that the caller makes: its result is the answer. */
function handOver(run: Run, call: ToolCallPart, asking: Asking): Json {
  const known = run.answers.find((wait) => wait.callId === call.id && wait.kind === 'client_tool')
  if (!known) {
    asking.opens.push({ kind: 'client_tool', call })
    throw new ParkedCall()
  }
  const { status, data = null, reason } = known
  if (status === 'answered') {
    const { error } = isJsonObject(data) ? data : {}
    if (typeof error === 'string') throw new Error(error)
    return data
  }
  if (status !== 'declined') throw new Unanswered('expired', 'Nobody gave the result of the call in time.')
  throw new Unanswered(
    'declined',
    `The caller did not make the call${reason === undefined ? '' : `: ${reason}`}.`,
  )
}

async function toSchema(schema: NonNullable<Question['schema']>): Promise<JsonObject> {
  if (standardOf(schema)) {
    const fail = (problem: string) => new Error(`${attempt} "schema" ${problem}. ${schemaRemedy}`)
    return toJsonSchema(schema as StandardSchemaV1, fail) // it says so
  }
  const problem = await schemaProblem(schema as JsonObject)
  if (problem === undefined) return schema as JsonObject
  throw new Error(`${attempt} "schema" is not a valid JSON Schema: ${problem}.`)
}

async function toAnswer(
  { status, data = null, reason }: StoredWait,
  schema: Question['schema'],
): Promise<unknown> {
  if (status === 'declined') {
    const why = reason === undefined ? '' : `: ${reason}`
    throw new Unanswered('declined', `The person declined to answer${why}. Continue without the answer.`)
  }
  if (status !== 'answered')
    throw new Unanswered('expired', 'Nobody answered in time. Continue without the answer.')
  const answer: Json = data
  if (!standardOf(schema)) return answer
  const outcome = await parserOf(schema as StandardSchemaV1)(answer) // it says so
  if (!outcome.issues) return outcome.value
  throw new Error(`${attempt} the answer does not match "schema": ${describeIssues(outcome.issues, 'it')}.`)
}
