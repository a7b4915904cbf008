import { EventSocketRequest } from '@homeward/contract/agent-platform'
import { describeIssues, describeIssue } from '@homeward/contract/handler'
import type { EventSocketLimits } from './event-transport.ts'

const windowMs = 10_000

/** What came of a message: a request, what is wrong with it, or why the connection ends. */
export type EventRequestOutcome =
  | { readonly request: EventSocketRequest }
  | { readonly problem: string }
  | { readonly end: { readonly code: number; readonly reason: string } }

/** Reads the messages of one client, within its limits. */
export function createEventRequestReader(
  { maxMessageBytes = 16_384, maxMessages = 50 }: EventSocketLimits,
  now: () => number,
): (message: unknown) => EventRequestOutcome {
  let times: number[] = []

  function isTooOften(): boolean {
    const nowMs = now()
    times = times.filter((at) => nowMs - at < windowMs)
    times.push(nowMs)
    return times.length > maxMessages
  }

  return (message) => {
    if (typeof message !== 'string') return ending(1003, 'Send text, not bytes')
    if (isLargerThan(message, maxMessageBytes)) {
      return ending(1009, `A message is larger than ${maxMessageBytes} bytes`)
    }
    if (isTooOften()) return ending(1008, `More than ${maxMessages} messages within ten seconds`)
    return parse(message)
  }
}

const ending = (code: number, reason: string) => ({ end: { code, reason } })

function parse(text: string): EventRequestOutcome {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'message: is not JSON. Send {"type": "subscribe", "types"?, "run_id"?, "since"?}.' }
  }
  const parsed = EventSocketRequest.safeParse(value, { error: describeIssue })
  if (parsed.success) return { request: parsed.data }
  return { problem: describeIssues(parsed.error.issues, 'message') }
}

function isLargerThan(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false
  return text.length > bytes || new TextEncoder().encode(text).byteLength > bytes
}
