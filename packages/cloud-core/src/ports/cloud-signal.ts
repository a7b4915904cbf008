import type { DeviceCloudEventName } from '@homeward/contract/device-cloud'

/** An event as a stream writes it, and whose it is. */
export interface StreamedEvent {
  readonly owner: string
  readonly name: DeviceCloudEventName
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * A change by another process on the same store.
 *
 * - `work`: these devices have work. The id of a decided enrollment can be among them.
 * - `keys`: API keys or API tokens with these hashes were added or revoked.
 * - `follow`: a client follows the events of these owners in that process.
 * - `events`: events of devices and searches that a client follows.
 * - `reset`: some events of these owners were lost for their followers.
 * - `tasks`: groups have work, or schedules of saved searches changed.
 * - `missed`: signals may have been lost, so anything may have changed.
 */
export type CloudSignal =
  | { readonly topic: 'work'; readonly deviceIds: readonly string[] }
  | { readonly topic: 'keys'; readonly hashes: readonly string[] }
  | { readonly topic: 'follow'; readonly owners: readonly string[] }
  | { readonly topic: 'events'; readonly events: readonly StreamedEvent[] }
  | { readonly topic: 'reset'; readonly owners: readonly string[] }
  | { readonly topic: 'tasks' }
  | { readonly topic: 'missed' }
