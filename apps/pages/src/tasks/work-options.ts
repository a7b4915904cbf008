import type { Budget, JsonObject } from '@homeward/contract/agent-platform'

/** What can be said about a piece of work besides what it is, as it is typed. Empty texts and `undefined` are not sent. */
export interface WorkOptions {
  readonly userId: string
  readonly idempotencyKey: string
  /** A JSON object. */
  readonly metadata: string
  readonly maxTokens: number | undefined
  readonly maxUsd: number | undefined
  readonly period: NonNullable<Budget['period']>
}

/** Nothing is said. */
export const noWorkOptions: WorkOptions = {
  userId: '',
  idempotencyKey: '',
  metadata: '',
  maxTokens: undefined,
  maxUsd: undefined,
  period: 'run',
}

/** The fields of a request that they stand for. */
export interface WorkFields {
  readonly user_id?: string
  readonly idempotency_key?: string
  readonly metadata?: JsonObject
  readonly budget?: {
    readonly max_tokens?: number
    readonly max_usd?: number
    readonly period: WorkOptions['period']
  }
}

/** Fields of a request that its answer may name, as far as they are shown here. */
export const workFieldNames: readonly string[] = [
  'user_id',
  'idempotency_key',
  'metadata',
  'budget',
  'budget.max_tokens',
  'budget.max_usd',
]

/** @returns the fields to send. @throws {Error} when the metadata is not a JSON object. */
export function toWorkFields(options: WorkOptions): WorkFields {
  const { userId, idempotencyKey, metadata, maxTokens, maxUsd, period } = options
  const budget = {
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(maxUsd !== undefined && { max_usd: maxUsd }),
  }
  return {
    ...(userId !== '' && { user_id: userId }),
    ...(idempotencyKey !== '' && { idempotency_key: idempotencyKey }),
    ...(metadata.trim() !== '' && { metadata: parseMetadata(metadata) }),
    ...(Object.keys(budget).length > 0 && { budget: { ...budget, period } }),
  }
}

/** @throws {Error} that says what is wrong with the text. */
export function parseMetadata(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('The metadata is not JSON. Write an object, such as {"ticket": 42}.', { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject // it was JSON
  throw new Error('The metadata is not a JSON object. Write one, such as {"ticket": 42}.')
}
