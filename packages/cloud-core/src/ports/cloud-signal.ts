/**
 * What another process on the same storage has changed.
 *
 * - `work`: there is work for these devices.
 * - `keys`: API keys with these hashes no longer work.
 * - `missed`: anything may have changed, for signals may have been lost.
 */
export type CloudSignal =
  | { readonly topic: 'work'; readonly deviceIds: readonly string[] }
  | { readonly topic: 'keys'; readonly hashes: readonly string[] }
  | { readonly topic: 'missed' }
