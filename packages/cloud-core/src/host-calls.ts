import type { Operation } from '@homeward/contract'
import { deviceCloudOperations, type DeviceCloudOperations, Id } from '@homeward/contract/device-cloud'
import { describeIssues, issueText, type PlainReply, validationError } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import type { UserCall } from './cloud-context.ts'
import type { InFlight } from './in-flight.ts'
import type { UserOperations } from './user-operations.ts'

/** What users do, as the host's own code calls it: fields that have a default may be left out. */
export type HostCalls = {
  readonly [Name in keyof UserOperations]: DeviceCloudOperations[Name] extends {
    readonly body: infer Body extends z.core.$ZodType
  }
    ? (call: UserCall, body: z.input<Body>) => ReturnType<UserOperations[Name]>
    : UserOperations[Name]
}

type Operate = (call: UserCall, given: unknown, ...rest: readonly unknown[]) => Promise<unknown>

/**
 * What users do, for the host's own code: checked by the table that the handler checks requests with, for nothing else
 * stands before these calls.
 *
 * @param assertOpen Throws once the cloud is closed.
 * @param inFlight What a closing cloud waits for.
 */
export function createHostCalls(
  users: UserOperations,
  assertOpen: () => void,
  inFlight: InFlight,
): HostCalls {
  const names = Object.keys(users) as (keyof UserOperations)[]
  const calls = names.map((name) => {
    const operate = users[name] as Operate // the table gives each of them what it takes
    const checked: Operate = async (call, given, ...rest) => {
      assertOpen()
      assertUserCall(name, call)
      const work = operate(call, parseGiven(deviceCloudOperations[name], given), ...rest)
      // the one that answers as a request is answered: its file is read later
      return name === 'downloadFile' ? inFlight.trackReply(work as Promise<PlainReply>) : inFlight.track(work)
    }
    return [name, checked] as const
  })
  return Object.fromEntries(calls) as unknown as HostCalls // one for each name, which takes and gives the same
}

/** @throws {TypeError} For whom a call is made is the host's to say: no user could have got it wrong. */
function assertUserCall(name: string, call: Partial<UserCall> | null | undefined): void {
  const refuse = (what: string) => new TypeError(`Calling ${name}: ${what}.`)
  if (typeof call?.userId !== 'string' || call.userId === '')
    throw refuse('the first argument must be { userId }, the user that it is called for')
  for (const field of ['idempotencyKey', 'address', 'origin'] as const) {
    const { [field]: value } = call
    if (value !== undefined && typeof value !== 'string') throw refuse(`${field} must be a text`)
  }
}

/** What an operation takes besides the caller: its body, its query, or the id in its path. */
function parseGiven({ body, query }: Operation, given: unknown): unknown {
  if (body) return parse(body, given, 'body')
  return query ? parse(query, toTexts(given ?? {}), 'query') : parse(Id, given, 'id')
}

/** The table knows queries as text; code gives a number as a number. */
function toTexts(query: unknown): unknown {
  if (typeof query !== 'object') return query
  const entries = Object.entries(query as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  )
}

/** @throws {HttpError} 400 as the interface answers it, with the field and the problem. */
function parse(schema: z.core.$ZodType, value: unknown, place: string): unknown {
  const parsed = z.safeParse(schema, value, { error: issueText })
  if (parsed.success) return parsed.data
  throw validationError(describeIssues(parsed.error.issues, place))
}
