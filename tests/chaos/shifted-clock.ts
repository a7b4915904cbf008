// Preloaded by a server whose clock jumped: CLOCK_AHEAD_MS says how far.

const aheadMs = Number(process.env['CLOCK_AHEAD_MS'] ?? 0)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    // What a caller of Date may pass is its own business.
    if (parts.length === 0) super(RealDate.now() + aheadMs)
    else super(...(parts as [number]))
  }

  static override now(): number {
    return RealDate.now() + aheadMs
  }
} as DateConstructor
