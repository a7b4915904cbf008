import type { JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { cut } from '../../json/to-json.ts'
import type { ToolCallPart } from '../../ports/message.ts'
import { type ElicitationAnswer, type ElicitationQuestion, elicitationMark } from '../../ports/elicitation.ts'
import { elicitationKey } from '../../ports/user-logins.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import { hashArgs } from '../calls/effect-ledger.ts'
import type { OpenedWait, Run } from '../loop/run.ts'
import type { RunsContext } from '../runs-options.ts'
import type { Asking } from './ask.ts'
import { settle } from './waits.ts'

/** Questions of one call. A server whose questions differ each time would never stop asking. */
const maxQuestions = 20
const maxMessageChars = 10_000

/**
 * What a person decided about a question of an MCP server, or the wait for it. The server asks again when its call is made again: an
 * answer belongs to the text and the schema of the question, so that nobody agrees to a question that has changed.
 *
 * @throws {Error} for a question that cannot be asked
 */
export async function askElicitation(
  run: Run,
  call: ToolCallPart,
  asking: Asking,
  question: ElicitationQuestion,
  toSchema: (schema: JsonObject) => Promise<JsonObject>,
): Promise<ElicitationAnswer | OpenedWait> {
  const { server, schema, url, isUnmet = false } = question
  const message = cut(
    question.message.trim() === '' ? `"${server}" asks you something.` : question.message,
    maxMessageChars,
  )
  const hash = hashArgs([server, url === undefined ? 'form' : 'url', message, schema ?? null])
  const asked = run.answers.filter(
    ({ callId, key = '' }) => callId === call.id && key.startsWith(elicitationKey),
  )
  const same = asked.filter(({ key = '' }) => key.startsWith(elicitationKey + hash))
  const place = isUnmet ? same.length : asking.elicited.filter((each) => each === hash).length
  asking.elicited.push(hash)
  const known = isUnmet ? same.find(({ status }) => status !== 'answered') : same[place]
  if (known) return toAnswer(known)
  if (asked.length >= maxQuestions)
    throw new Error(`Asking a person failed: one call asked more than ${maxQuestions} questions.`)
  const key = elicitationKey + hash + elicitationMark(server, question.id)
  if (url === undefined) {
    const form = await toSchema(schema ?? { type: 'object' })
    return { kind: 'question', call, key, message, schema: form }
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Error('Asking a person failed: the address is not an http or https URL.')
  return { kind: 'login', call, key, message, url }
}

function toAnswer({ kind, status, data }: StoredWait): ElicitationAnswer {
  if (status === 'declined') return { action: 'decline' }
  if (status !== 'answered') return { action: 'cancel' }
  return { action: 'accept', ...(kind === 'question' && isJsonObject(data) && { content: data }) }
}

/** Answers the waits for what a person did at an address, when the server says that it is done. */
export async function settleElicitation(context: RunsContext, server: string, id: string): Promise<void> {
  const mark = elicitationMark(server, id)
  const { rows } = await context.store.listWaits({ kind: 'login', status: 'open' }, { limit: 500 })
  for (const wait of rows) {
    if (!wait.key?.startsWith(elicitationKey) || !wait.key.endsWith(mark)) continue
    const run = await context.store.findRun(wait.runId)
    if (run) await settle(context, { run, wait }, { status: 'answered', data: {} }, wait.userId)
  }
}
