import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ToolCallPart } from '../../ports/message.ts'
import { Unanswered } from '../../ports/unanswered.ts'
import { isElicitation, loginLinkMs } from '../../ports/user-logins.ts'
import type { StoredWait, WaitFilter } from '../../store/ports/wait.ts'
import type { OpenedWait, Run } from '../loop/run.ts'
import type { RunsContext } from '../runs-options.ts'
import { settle } from './waits.ts'

/**
 * What a run waits for before its first model call: the logins without which some servers list no tools. A server whose login was
 * declined, or did not come in time, is left out.
 *
 * @throws {RuntimeError} `run_error` if the run has no user, or a login cannot begin
 */
export async function openLogins(run: Run, servers: readonly string[]): Promise<OpenedWait[]> {
  const opened: OpenedWait[] = []
  for (const server of servers) {
    const known = lastLogin(run, server, undefined)
    if (known && known.status !== 'answered') continue
    const login = await beginLogin(run, server, known)
    if (login) opened.push(login)
  }
  return opened
}

/**
 * What a call waits for that its server rejected, because the user has not logged in.
 *
 * @returns undefined if the token works by now
 * @throws {Unanswered} if the person declined, or did not log in in time
 */
export async function askLogin(
  run: Run,
  call: ToolCallPart,
  server: string,
): Promise<OpenedWait | undefined> {
  const known = lastLogin(run, server, call.id)
  if (known?.status === 'declined') {
    const why = known.reason === undefined ? '' : `: ${known.reason}`
    throw new Unanswered(
      'declined',
      `The person declined to log in to "${server}"${why}. Continue without it.`,
    )
  }
  if (known && known.status !== 'answered')
    throw new Unanswered('expired', `Nobody logged in to "${server}" in time. Continue without it.`)
  const login = await beginLogin(run, server, known)
  return login && { ...login, call }
}

/** Logins of one call, or before the first model call: a server may ask for more access after the first. */
const maxLogins = 3

const isLoginOf = (wait: StoredWait, server: string, callId: string | undefined) =>
  wait.kind === 'login' && wait.key === server && wait.callId === callId

const lastLogin = ({ answers }: Run, server: string, callId: string | undefined) =>
  answers.findLast((wait) => isLoginOf(wait, server, callId))

/** @param known the login that was there before, and did not do */
async function beginLogin(
  { row, context, signal, answers }: Run,
  server: string,
  known: StoredWait | undefined,
): Promise<OpenedWait | undefined> {
  const fail = (fact: string) =>
    new RuntimeError('run_error', `Using the MCP server "${server}" failed: ${fact}`)
  const { logins } = context
  const { userId } = row
  if (userId === undefined || logins === undefined)
    throw fail('each user logs in to it, and the run has no user. Start the run with a "user_id".')
  const isLast = answers.filter((wait) => isLoginOf(wait, server, known?.callId)).length >= maxLogins
  if (known && (isLast || (await logins.has(server, userId))))
    throw fail('it rejects the login of the user. Check which access the OAuth client has.')
  const url = await logins.begin(server, userId)
  signal.throwIfAborted()
  if (url === undefined) return undefined
  return { kind: 'login', key: server, message: `Log in to "${server}", so that the agent can use it.`, url }
}

/**
 * Checks that the user has logged in. A wait whose link has expired can be answered without it: the run then waits with a new link.
 *
 * @throws {RuntimeError} `conflict`
 */
export async function assertLoggedIn({ logins, now }: RunsContext, wait: StoredWait): Promise<void> {
  const { key = '', userId, createdAt } = wait
  if (isElicitation(wait)) return
  if (userId !== undefined && (await logins?.has(key, userId))) return
  if (now() - Date.parse(createdAt) > loginLinkMs) return
  const text = `Answering a wait failed: the user has not logged in to "${key}" yet. Open the "url" of the wait, then answer again.`
  throw new RuntimeError('conflict', text)
}

/** Answers the waits for the login of a user to a server. */
export async function settleLogins(context: RunsContext, server: string, userId: string): Promise<void> {
  for (const wait of await listOpen(context, { userId })) if (wait.key === server) await answer(context, wait)
}

/** Answers the waits for logins that are there: their process ended between the two. */
export async function settleMissedLogins(context: RunsContext): Promise<void> {
  for (const wait of await listOpen(context, {})) {
    const { key = '', userId } = wait
    if (userId !== undefined && (await context.logins?.has(key, userId))) await answer(context, wait)
  }
}

async function listOpen({ store }: RunsContext, filter: WaitFilter): Promise<StoredWait[]> {
  const open: StoredWait[] = []
  for (let cursor: string | undefined; ;) {
    const page = { limit: 500, ...(cursor !== undefined && { cursor }) }
    const { rows, nextCursor } = await store.listWaits({ ...filter, kind: 'login', status: 'open' }, page)
    open.push(...rows)
    if (nextCursor === undefined) return open.toReversed()
    cursor = nextCursor
  }
}

async function answer(context: RunsContext, wait: StoredWait): Promise<void> {
  const run = await context.store.findRun(wait.runId)
  if (run) await settle(context, { run, wait }, { status: 'answered', data: {} }, wait.userId)
}
