import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@homeward/kit/node'
import * as z from 'zod/mini'
import type { ConsentRequest } from '../../policy/device-policy.ts'

const WaitingRequest = z.object({
  id: z.string(),
  kind: z.enum(['search', 'file']),
  actor: z.string(),
  query: z.optional(z.string()),
  scope: z.optional(z.array(z.string())),
  path: z.optional(z.string()),
  at: z.string(),
})
/**
 * A request that waits for the owner of the device. A search has `query` and `scope`, a file request has `path`. `at`
 * is the arrival time in ISO 8601.
 */
export type WaitingRequest = z.infer<typeof WaitingRequest>

const Question = z.object({ ...WaitingRequest.shape, until: z.string() })
/** A request with the time at which silence becomes a no. */
type Question = z.infer<typeof Question>

const Decision = z.object({
  id: z.string(),
  kind: z.enum(['search', 'file']),
  actor: z.string(),
  allow: z.boolean(),
  at: z.string(),
  /** Whether the owner decided, what the owner allowed before, or a program. */
  by: z.enum(['owner', 'grant', 'program']),
})
export type Decision = z.infer<typeof Decision>

/** What an owner allows in advance; `until` is null for always. */
const Grant = z.object({
  kind: z.enum(['search', 'file']),
  actor: z.string(),
  at: z.string(),
  until: z.nullable(z.string()),
})

/** The folder of the exchange in the state folder of a device. */
export const consentFolderOf = (stateFolder: string): string => join(stateFolder, 'consent')

/** What a request is, for its owner. An old cloud does not say who asks. */
export function toWaitingRequest({ action, request }: ConsentRequest, at: string): WaitingRequest {
  const { id, actor = 'unknown' } = request
  if (action === 'upload') return { id, kind: 'file', actor, path: request.filePath, at }
  return { id, kind: 'search', actor, query: request.query, scope: request.scope, at }
}

const hash = (...parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)

/** Name of a request: of its whole text, so that a yes counts for nothing else under the same id. */
export function keyOf({ action, request }: ConsentRequest): string {
  const { createdAt: _createdAt, ...asked } = request
  return hash(
    action,
    Object.entries(asked).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}

export const questionName = (key: string): string => `request-${key}.json`
export const decisionName = (key: string): string => `decision-${key}.json`
export const grantName = ({ actor, kind }: Pick<WaitingRequest, 'actor' | 'kind'>): string =>
  `grant-${hash(actor, kind)}.json`

/** Undefined for a file that is not there, is damaged, or still belongs to root who writes it. */
async function readJson<Schema extends z.ZodMiniType>(
  schema: Schema,
  folder: string,
  name: string,
): Promise<z.output<Schema> | undefined> {
  try {
    return z.parse(schema, JSON.parse(await readFile(join(folder, name), 'utf8')))
  } catch {
    return undefined
  }
}

export const readQuestion = (folder: string, key: string): Promise<Question | undefined> =>
  readJson(Question, folder, questionName(key))

/** The decision about a request, if there is one for this id, actor and kind. */
export async function readDecision(
  folder: string,
  key: string,
  request: WaitingRequest,
): Promise<Decision | undefined> {
  const found = await readJson(Decision, folder, decisionName(key))
  return found && isSame(found, request) && found.id === request.id ? found : undefined
}

/** Whether the owner allowed this actor and kind in advance. */
export async function isGranted(folder: string, request: WaitingRequest, nowMs: number): Promise<boolean> {
  const grant = await readJson(Grant, folder, grantName(request))
  if (grant === undefined || !isSame(grant, request)) return false
  return grant.until === null || nowMs < Date.parse(grant.until)
}

const isSame = (a: Pick<WaitingRequest, 'actor' | 'kind'>, b: Pick<WaitingRequest, 'actor' | 'kind'>) =>
  a.actor === b.actor && a.kind === b.kind

/** Writes a file of the exchange, whole or not at all, for the owner alone. */
export const writeConsent = (folder: string, name: string, value: object): Promise<void> =>
  replaceFile(join(folder, name), `${JSON.stringify(value)}\n`, { mode: 0o600 })

/** Names of the files of the exchange; none before a request came. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Requests that nobody decided about, oldest first, with their names. */
export async function listQuestions(
  folder: string,
  nowMs: number,
): Promise<readonly { readonly key: string; readonly request: WaitingRequest }[]> {
  const names = await namesIn(folder)
  const keys = names.flatMap((name) => /^request-([\da-f]{40})\.json$/.exec(name)?.[1] ?? [])
  const open = keys.filter((key) => !names.includes(decisionName(key)))
  const found = await Promise.all(
    open.map(async (key) => ({ key, question: await readQuestion(folder, key) })),
  )
  return found
    .flatMap(({ key, question }) => {
      if (question === undefined || Date.parse(question.until) <= nowMs) return []
      const { until: _until, ...request } = question
      return [{ key, request }]
    })
    .toSorted((a, b) => (a.request.at < b.request.at ? -1 : 1))
}
