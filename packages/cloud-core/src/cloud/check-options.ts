import type { DeviceCloudOptions } from './cloud-options.ts'
import { checkRetention } from '../retention/retention-options.ts'

/** All names of the options: one that is left out does not compile. */
const known: { readonly [Name in keyof DeviceCloudOptions]-?: true } = {
  store: true,
  blobs: true,
  chunks: true,
  chunkBytes: true,
  sessions: true,
  guard: true,
  publicUrl: true,
  pairingUrl: true,
  keyPrefix: true,
  maxCachedKeys: true,
  offlineShare: true,
  keySecret: true,
  onlineWindowMs: true,
  heartbeatIntervalSeconds: true,
  flush: true,
  maxJsonBytes: true,
  maxUploadBytes: true,
  maxRowResultBytes: true,
  auditRetentionDays: true,
  retention: true,
  webhooks: true,
  trustedProxies: true,
  tracer: true,
  meter: true,
  metrics: true,
  onError: true,
  checkReplies: true,
  now: true,
  timers: true,
  createId: true,
  random: true,
  randomBytes: true,
}

/** @throws {TypeError} that names the option and what it must be. Never holds a secret. */
export function checkCloudOptions(options: DeviceCloudOptions): void {
  checkAdapters(options)
  checkNames(options)
  checkHooks(options)
  checkRetention(options.retention)
  const { keyPrefix = 'hw', keySecret, publicUrl, pairingUrl, blobs, chunks, chunkBytes } = options
  if (!/^[a-z][a-z0-9]{0,15}$/.test(keyPrefix))
    refuse('"keyPrefix" must be 1 to 16 lowercase letters and digits, and start with a letter')
  if (keySecret !== undefined && !(typeof keySecret === 'string' && keySecret.length >= 16))
    refuse('"keySecret" must be a string of at least 16 characters')
  if (publicUrl !== undefined && !isAddress(publicUrl))
    refuse('"publicUrl" must be an http:// or https:// address without query and fragment')
  if (pairingUrl !== undefined && !isAddress(pairingUrl))
    refuse('"pairingUrl" must be an http:// or https:// address without query and fragment')
  if (chunkBytes !== undefined && !isBetween(chunkBytes, 65_536, 67_108_864))
    refuse(`"chunkBytes" must be an integer between 65,536 and 67,108,864, got ${chunkBytes}`)
  if (chunks !== undefined && chunks === blobs) refuse('"chunks" must be a different store than "blobs"')
  for (const name of ['maxJsonBytes', 'maxUploadBytes', 'maxRowResultBytes'] as const) {
    const { [name]: bytes } = options
    if (bytes !== undefined && !isBetween(bytes, 1, Number.MAX_SAFE_INTEGER))
      refuse(`"${name}" must be an integer of at least 1, got ${bytes}`)
  }
  const { maxCachedKeys, offlineShare } = options
  if (maxCachedKeys !== undefined && !isBetween(maxCachedKeys, 1000, 10_000_000))
    refuse(`"maxCachedKeys" must be an integer between 1,000 and 10,000,000, got ${maxCachedKeys}`)
  if (offlineShare !== undefined && !(offlineShare > 0 && offlineShare <= 1))
    refuse(`"offlineShare" must be greater than 0 and at most 1, got ${offlineShare}`)
  for (const name of ['onlineWindowMs', 'heartbeatIntervalSeconds'] as const) {
    const { [name]: time } = options
    if (time !== undefined && !(time > 0 && Number.isFinite(time)))
      refuse(`"${name}" must be a number greater than 0, got ${time}`)
  }
}

/** A host without types may leave one out, or give the function that makes it. */
function checkAdapters(options: Partial<DeviceCloudOptions> | null | undefined): void {
  const { store, blobs, sessions, chunks, webhooks } = options ?? {}
  if (typeof store?.insertDevice !== 'function')
    refuse('"store" must be a store, such as createMemoryStore() returns')
  if (typeof blobs?.put !== 'function')
    refuse('"blobs" must be a file store, such as createMemoryBlobs() returns')
  if (typeof sessions?.resolve !== 'function')
    refuse('"sessions" must have the method resolve(), as createSingleUserSessions() returns it')
  if (chunks !== undefined && typeof chunks?.put !== 'function')
    refuse('"chunks" must be a file store, such as createMemoryBlobs() returns')
  if (webhooks !== undefined && typeof webhooks?.send !== 'function')
    refuse('"webhooks" must have the method send(), as createWebhookSender() returns it')
}

/** A host without types would get the default of what it meant to set: of `publicUlr`, links that lead nowhere. */
function checkNames(options: DeviceCloudOptions): void {
  const strange = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (strange !== undefined)
    refuse(`"${strange.slice(0, 100)}" is not an option. Use one of ${Object.keys(known).join(', ')}`)
}

const hooks = ['guard', 'onError', 'metrics', 'now', 'createId', 'random', 'randomBytes'] as const

/** What would fail with the first request, or not do what its name says. */
function checkHooks(options: DeviceCloudOptions): void {
  const { flush, trustedProxies, tracer, meter, timers, checkReplies } = options
  for (const name of hooks) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      refuse(`"${name}" must be a function`)
  }
  if (tracer && typeof tracer.startActiveSpan !== 'function')
    refuse('"tracer" must be a tracer, such as trace.getTracer() of @opentelemetry/api returns')
  if (meter && typeof meter.createHistogram !== 'function')
    refuse('"meter" must be a meter, such as metrics.getMeter() of @opentelemetry/api returns')
  if (timers !== undefined && typeof timers?.setTimeout !== 'function')
    refuse('"timers" must have setTimeout and clearTimeout')
  if (checkReplies !== undefined && typeof checkReplies !== 'boolean')
    refuse('"checkReplies" must be true or false')
  if (flush !== undefined && flush !== 'interval' && flush !== 'sync')
    refuse('"flush" must be "interval" or "sync"')
  if (trustedProxies !== undefined && !isListOfTexts(trustedProxies))
    refuse('"trustedProxies" must be a list of addresses')
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
}

function refuse(reason: string): never {
  throw new TypeError(`Creating the cloud failed: ${reason}.`)
}
