import { backoffMs } from '../backoff.ts'
import { startDeadline } from '../http/deadline.ts'
import { signWebhook } from './sign-webhook.ts'
import { WebhookFailure, type WebhookResponse, type WebhookSender } from './webhook-sender.ts'
import type { DeliveryAttempt, DueDelivery } from './webhook-store.ts'

/** How long a webhook may take to respond, in milliseconds. */
export const responseTimeoutMs = 15_000
/** How long a delivery is retried, in milliseconds. */
const retriedForMs = 24 * 60 * 60 * 1000
/** After how long without a success a webhook is disabled, in milliseconds. */
const failsForMs = 5 * 24 * 60 * 60 * 1000
const longestPauseMs = 60 * 60 * 1000
const shortestPauseMs = 2000

/** What {@link attemptDelivery} works with. */
export interface AttemptSetup {
  readonly sender: WebhookSender
  readonly now: () => number
  readonly random: () => number
  /** The secret of a stored one; undefined if it cannot be read. */
  readonly reveal: (stored: string) => Promise<string | undefined>
  /** Changes a field of an event before it is sent. @default no field is changed */
  readonly show?: (name: string, value: unknown) => unknown
  readonly signal: AbortSignal
}

/** Sends a delivery once, and says how it ended. Never rejects. */
export async function attemptDelivery(due: DueDelivery, setup: AttemptSetup): Promise<DeliveryAttempt> {
  const outcome = await post(due, setup)
  return toAttempt(due, outcome, setup)
}

type Outcome = { readonly response: WebhookResponse } | { readonly error: string }

async function post({ delivery, webhook }: DueDelivery, setup: AttemptSetup): Promise<Outcome> {
  const secret = await setup.reveal(webhook.secret).catch(() => undefined)
  if (secret === undefined) return { error: 'The secret cannot be read: it was sealed with another key' }
  const { id, type, at: timestamp, data } = delivery
  const { show = (_, value) => value } = setup
  const known = Object.entries(data).flatMap(([name, value]) =>
    value === null ? [] : [[name, show(name, value)] as const],
  )
  const body = JSON.stringify({ type, timestamp, data: Object.fromEntries(known) })
  const deadline = startDeadline(responseTimeoutMs, setup.signal)
  try {
    const signed = await signWebhook(secret, { id, timestamp: Math.floor(setup.now() / 1000), body })
    const headers = { 'content-type': 'application/json', 'user-agent': 'homeward-webhooks', ...signed }
    const request = { url: webhook.url, headers, body, signal: deadline.signal }
    return { response: await deadline.race(setup.sender.send(request)) }
  } catch (error) {
    if (setup.signal.aborted) return { error: 'The server stopped' }
    if (deadline.signal.aborted) return { error: `No response within ${responseTimeoutMs / 1000} s` }
    return { error: error instanceof WebhookFailure ? error.message : 'The request failed' }
  } finally {
    deadline.end()
  }
}

function toAttempt(due: DueDelivery, outcome: Outcome, setup: AttemptSetup): DeliveryAttempt {
  const { id, webhookId, attempts, at: happenedAt } = due.delivery
  const nowMs = setup.now()
  const response = 'response' in outcome ? outcome.response : undefined
  const facts = {
    id,
    webhookId,
    attempt: attempts,
    at: toText(nowMs),
    responseCode: response?.status ?? null,
    failingBefore: toText(nowMs - failsForMs),
    disable: response?.status === 410 ? 'The receiver responded with 410 Gone' : null,
  }
  const error = response === undefined ? (outcome as { error: string }).error : problemOf(response.status)
  if (error === undefined) return { ...facts, status: 'delivered', nextAt: null, error: null }
  const pauseMs = backoffMs({
    failures: attempts,
    baseMs: shortestPauseMs,
    capMs: longestPauseMs,
    random: setup.random,
    ...(response?.retryAfterMs !== undefined && {
      retryAfterMs: Math.min(response.retryAfterMs, longestPauseMs),
    }),
  })
  const nextMs = setup.signal.aborted ? nowMs : nowMs + pauseMs
  const isOver = nextMs > Date.parse(happenedAt) + retriedForMs
  if (facts.disable !== null || isOver) return { ...facts, status: 'failed', nextAt: null, error }
  return { ...facts, status: 'pending', nextAt: toText(nextMs), error }
}

function problemOf(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return `The receiver redirected with ${status}, and redirects are not followed`
  return `The receiver responded with ${status}`
}

const toText = (ms: number) => new Date(ms).toISOString()
