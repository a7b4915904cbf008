import type { Operation } from '@homeward/contract'
import { deviceCloudOperations, Id } from '@homeward/contract/device-cloud'
import { describeIssues, describeIssue, type PlainReply, validationError } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceCloudCalls } from './device-cloud-calls.ts'
import type { InFlight } from './in-flight.ts'
import type { UserOperations } from './user-operations.ts'

type Operate = (call: UserCall, ...given: readonly unknown[]) => Promise<unknown>

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
): DeviceCloudCalls {
  const names = Object.keys(users) as (keyof UserOperations)[]
  const calls = names.map((name) => {
    const operate = users[name] as Operate // the table gives each of them what it takes
    const checked: Operate = async (call, ...given) => {
      assertOpen()
      assertUserCall(name, call)
      const operation: Operation = deviceCloudOperations[name]
      const work = operate(call, ...parseGiven(operation, given))
      // those that answer as a request is answered: their file is read later
      return operation.reply === 'bytes'
        ? inFlight.trackReply(work as Promise<PlainReply>)
        : inFlight.track(work)
    }
    return [name, checked] as const
  })
  return Object.fromEntries(calls) as unknown as DeviceCloudCalls // one for each name
}

/** @throws {TypeError} For whom a call is made is the host's to say: no user could have got it wrong. */
function assertUserCall(name: string, call: Partial<UserCall> | null | undefined): void {
  const refuse = (what: string) => new TypeError(`Calling ${name} failed: ${what}.`)
  if (typeof call?.userId !== 'string' || call.userId === '')
    throw refuse('the first argument must be { userId }, the user that you call it for')
  for (const field of ['actor', 'until', 'idempotencyKey', 'address', 'origin'] as const) {
    const { [field]: value } = call
    if (value !== undefined && typeof value !== 'string') throw refuse(`"${field}" must be a string`)
  }
}

/** What an operation takes besides the caller: the id in its path, then its body or its query. */
function parseGiven(operation: Operation, given: readonly unknown[]): readonly unknown[] {
  const { params, body, query } = operation
  const ids = params ? [parse(Id, given[0], 'id')] : []
  const [first, ...rest] = given.slice(ids.length)
  if (body) return [...ids, parse(body, first, 'body'), ...rest]
  return query ? [...ids, parse(query, toTexts(first ?? {}), 'query'), ...rest] : [...ids, first, ...rest]
}

/** The table knows queries as text; code gives a number as a number, and a yes or no as such. */
function toTexts(query: unknown): unknown {
  if (typeof query !== 'object') return query
  const entries = Object.entries(query as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  )
}

/** @throws {HttpError} 400 as the interface answers it, with the field and the problem. */
function parse(schema: z.core.$ZodType, value: unknown, place: string): unknown {
  const parsed = z.safeParse(schema, value, { error: describeIssue })
  if (parsed.success) return parsed.data
  throw validationError(describeIssues(parsed.error.issues, place))
}
