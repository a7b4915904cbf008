import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { channelDeliveryConformance } from './channel-delivery-conformance.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import { channelInboxConformance } from './channel-inbox-conformance.ts'

/**
 * Everything that a `ChannelStore` promises, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of channelStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const channelStoreConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  ...channelInboxConformance,
  ...channelDeliveryConformance,
]
