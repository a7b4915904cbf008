export { foldAccents, foldCase, foldDashes, foldEachLetter } from './fold-case.ts'
export { foldCode } from './fold-code.ts'
export { backoffMs, backoffRange, jitterMs, type BackoffInput } from './backoff.ts'
export { toEventStream, type EventStreamOptions } from './body/event-stream.ts'
export { gatherBytes, type GatheredBytes, readBounded, readChunks } from './body/read-bounded.ts'
export { isTimezone } from './cron/is-timezone.ts'
export { isLongInteger, parseExactJson, quoteLongIntegers, restoreBounds } from './json/exact-json.ts'
export { isDeeperThan } from './json/exact-json.ts'
export { createClientAddress, createRequestOrigin } from './limits/client-address.ts'
export { createGuessLimits, type GuessLimits } from './limits/guess-limits.ts'
export { toLimitKey } from './limits/to-limit-key.ts'
export { createTokenBuckets, type BucketOptions, type TokenBuckets } from './limits/token-buckets.ts'
export { createSafeEmitter, type SafeEmitter } from './safe-emitter.ts'
export { attachmentHeader, toPlainFileName } from './plain-file-name.ts'
export { parseRetryAfter } from './retry-after.ts'
export { createAutoResetEvent, type AutoResetEvent } from './waiting/auto-reset-event.ts'
export { linkSignals, onAbort, untilAborted } from './waiting/on-abort.ts'
export { expiredTokenMs, isTokenExpired, isUseNoted } from './token-life.ts'
export { encrypt, toBase64Url, decrypt } from './seal.ts'
export { sleep } from './waiting/sleep.ts'
export { longestTimerMs, platformTimers, type Timers } from './waiting/timers.ts'
export { watchAccess } from './waiting/watch-access.ts'
export { withTimeout } from './waiting/within.ts'
export {
  aBoolean,
  aFunction,
  anObject,
  anything,
  createOptionCheck,
  folderPath,
  hasMethod,
  having,
  integerBetween,
  integerFrom,
  limitNumber,
  must,
  numberBetween,
  numberFrom,
  numberRule,
  oneOf,
  optionsOf,
  positiveNumber,
  recordOf,
  required,
  text,
  texts,
  timerFrom,
  type CheckOptions,
  type OptionRule,
  type OptionRules,
  type ToOptionError,
} from './check-options.ts'
