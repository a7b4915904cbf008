import type { ChannelHarness } from './channel-harness.ts'
import { channelReceiveCases } from './channel-receive-conformance.ts'
import { channelSendCases } from './channel-send-conformance.ts'
import { channelWholeCases } from './channel-whole-conformance.ts'
import type { ConformanceCase } from '@homeward/kit/testing'

/**
 * What every channel has promised: whom it believes, what it takes, how it shows an answer, and what it says when the
 * platform does not do what it should.
 *
 * @example
 * for (const { name, run } of channelConformance) it(name, () => run(harness))
 */
export const channelConformance: readonly ConformanceCase<ChannelHarness>[] = [
  ...channelReceiveCases,
  ...channelSendCases,
  ...channelWholeCases,
]
