import type { DeviceCloudEventName } from '@homeward/contract/device-cloud'

/** An event as a stream writes it, and whose it is. */
export interface StreamedEvent {
  readonly owner: string
  readonly name: DeviceCloudEventName
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * What another process on the same storage has changed.
 *
 * - `work`: there is work for these devices; of an enrollment, whose id stands among them, that it was decided about.
 * - `keys`: API keys or API tokens with these hashes no longer work, or work from now on.
 * - `follow`: somebody follows the events of these owners there.
 * - `events`: what happened there to the devices and searches of somebody who follows it.
 * - `reset`: events of these owners were not passed on; those who follow them have missed some.
 * - `tasks`: there are groups to work on, or schedules of saved searches have changed.
 * - `missed`: anything may have changed, for signals may have been lost.
 */
export type CloudSignal =
  | { readonly topic: 'work'; readonly deviceIds: readonly string[] }
  | { readonly topic: 'keys'; readonly hashes: readonly string[] }
  | { readonly topic: 'follow'; readonly owners: readonly string[] }
  | { readonly topic: 'events'; readonly events: readonly StreamedEvent[] }
  | { readonly topic: 'reset'; readonly owners: readonly string[] }
  | { readonly topic: 'tasks' }
  | { readonly topic: 'missed' }
