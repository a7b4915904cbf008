import { describe, it } from 'vitest'
import { channelConformance } from '../testing/channels/channel-conformance.ts'
import { channelHarnesses } from './testing/channel-harnesses.ts'

for (const [platform, harness] of Object.entries(channelHarnesses)) {
  describe(platform, () => {
    for (const { name, run } of channelConformance) it(name, () => run(harness))
  })
}
