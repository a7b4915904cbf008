/** A message of Postgres has fewer bytes than 8000. */
const maxBytes = 7900

/** Converts the signals of a package for transport between processes. */
export interface SignalCodec<Signal> {
  /**
   * Returns JSON values, each for one message. A value that is too large is shortened or replaced by {@link
   * SignalCodec.missed}.
   */
  encode(signal: Signal): readonly unknown[]
  /** Converts a received value to signals. @returns undefined for an unknown value */
  decode(value: unknown): Signal | undefined
  /** Returns the signals to emit after notifications were lost, because anything may have changed. */
  readonly missed: readonly Signal[]
  /** Signals that can number in the thousands, and that only their own readers can miss. @default none */
  readonly bulk?: BulkSignals<Signal>
}

/** How signals that come in thousands are passed on. */
interface BulkSignals<Signal> {
  is(signal: Signal): boolean
  /** Joins several into few. */
  join(signals: readonly Signal[]): readonly Signal[]
  /** What tells less in place of one that is too large, or of too many: two halves, or that its readers missed something. */
  shorten(signal: Signal, isTooMany: boolean): readonly Signal[]
}

/** Signals as messages that fit, each with its sender. */
export function toPayloads<Signal>(
  codec: SignalCodec<Signal>,
  signals: readonly Signal[],
  sender: string,
): readonly string[] {
  return signals.flatMap((signal) => {
    const payloads = codec.encode(signal).map((value) => JSON.stringify([sender, value]))
    if (payloads.every((payload) => Buffer.byteLength(payload) <= maxBytes)) return payloads
    const less = codec.bulk?.is(signal) ? codec.bulk.shorten(signal, false) : codec.missed
    return toPayloads(codec, less, sender)
  })
}

/** Reads a message; none for one's own. A message that is not understood may mean anything. */
export function toSignals<Signal>(
  { decode, missed }: SignalCodec<Signal>,
  payload: string,
  self: string,
): readonly Signal[] {
  const parsed = parse(payload)
  if (!isPair(parsed)) return missed
  const [sender, value] = parsed
  if (sender === self) return []
  const signal = decode(value)
  return signal === undefined ? missed : [signal]
}

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
