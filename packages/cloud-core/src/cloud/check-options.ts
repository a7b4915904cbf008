import {
  aBoolean,
  aFunction,
  having,
  integerBetween,
  integerFrom,
  must,
  numberRule,
  oneOf,
  required,
  texts,
  type OptionRules,
} from '@homeward/kit'
import { isBasePath } from '@homeward/contract/handler'
import { QuotaName } from '@homeward/contract/device-cloud'
import { checkOptions } from '../context/check-options.ts'
import { auditDays, retentionRule } from '../retention/retention-options.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'

const attempt = 'Creating the cloud'
const files = having('put', 'be a file store, such as createMemoryBlobs() returns')
const aTime = numberRule('a number greater than 0', (value) => value > 0 && Number.isFinite(value))
const address = must(
  'be an http:// or https:// address without query and fragment',
  (value) => typeof value === 'string' && isAddress(value),
)

const rules: OptionRules<DeviceCloudOptions> = {
  store: required(having('insertDevice', 'be a store, such as createMemoryStore() returns')),
  blobs: required(files),
  sessions: required(
    having('resolve', 'have the method resolve(), as createSingleUserSessions() returns it'),
  ),
  chunks: files,
  chunkBytes: integerBetween(65_536, 67_108_864),
  guard: aFunction,
  basePath: must('be a path such as "/devices"', isBasePath),
  publicUrl: address,
  pairingUrl: address,
  keyPrefix: must(
    'be 1 to 16 lowercase letters and digits, and start with a letter',
    (value) => typeof value === 'string' && /^[a-z][a-z0-9]{0,15}$/.test(value),
  ),
  maxCachedKeys: integerBetween(1000, 10_000_000),
  offlineShare: numberRule('greater than 0 and at most 1', (value) => value > 0 && value <= 1),
  keySecret: must(
    'be a string of at least 16 characters',
    (value) => typeof value === 'string' && value.length >= 16,
  ),
  onlineWindowMs: aTime,
  heartbeatIntervalSeconds: aTime,
  flush: oneOf(['interval', 'sync']),
  maxJsonBytes: integerFrom(1),
  maxUploadBytes: integerFrom(1),
  maxRowResultBytes: integerFrom(1),
  auditRetentionDays: auditDays,
  retention: retentionRule,
  quotas: must('be an object of integers of at least 0, such as { devices: 100 }', isQuotas),
  webhooks: having('send', 'have the method send(), as createWebhookSender() returns it'),
  trustedProxies: texts,
  tracer: having('startActiveSpan', 'be a tracer, such as trace.getTracer() of @opentelemetry/api returns'),
  meter: having('createHistogram', 'be a meter, such as metrics.getMeter() of @opentelemetry/api returns'),
  metrics: aFunction,
  onError: aFunction,
  checkReplies: aBoolean,
  now: aFunction,
  timers: having('setTimeout', 'have setTimeout and clearTimeout'),
  createId: aFunction,
  random: aFunction,
  randomBytes: aFunction,
}

/** @throws {TypeError} that names the option and what it must be. Never holds a secret. */
export function checkCloudOptions(options: DeviceCloudOptions): void {
  checkOptions(attempt, options, rules)
  if (options.chunks !== undefined && options.chunks === options.blobs)
    throw new TypeError(`${attempt} failed: "chunks" must be a different store than "blobs".`)
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
}

function isQuotas(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([name, limit]) =>
      QuotaName.safeParse(name).success &&
      (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)),
  )
}
