import type { ChannelHarness } from './channel-harness.ts'
import { channelReceiveCases } from './channel-receive-conformance.ts'
import { channelSendCases } from './channel-send-conformance.ts'
import { channelWholeCases } from './channel-whole-conformance.ts'
import type { ConformanceCase } from '@homeward/kit/testing'

/**
 * Conformance cases for a channel: verification of requests, accepted messages, formatting of answers, and failures
 * of the platform.
 *
 * @example
 * for (const { name, run } of channelConformance) it(name, () => run(harness))
 */
export const channelConformance: readonly ConformanceCase<ChannelHarness>[] = [
  ...channelReceiveCases,
  ...channelSendCases,
  ...channelWholeCases,
]
