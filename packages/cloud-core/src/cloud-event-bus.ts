import { createSafeEmitter } from '@homeward/kit'
import type { EventEmitter } from 'eventemitter3'
import type { CloudEvents } from './cloud-events.ts'

/** Tells listeners what happened. */
export interface CloudEventBus {
  /** Where hosts listen. */
  readonly events: EventEmitter<CloudEvents>
  /** Tells all who listen. One that throws, or whose promise is rejected, stops nothing: `onError` hears of it. */
  readonly emit: <Name extends keyof CloudEvents>(name: Name, event: Parameters<CloudEvents[Name]>[0]) => void
}

/** Builds the bus of one cloud. */
export const createCloudEventBus = (onError: (error: unknown) => void): CloudEventBus =>
  createSafeEmitter<CloudEvents>(onError)
