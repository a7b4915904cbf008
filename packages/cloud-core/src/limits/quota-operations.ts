import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { CloudContext, UserCall } from '../context/cloud-context.ts'

/** How users see their limits. */
export function createQuotaOperations({ quotas }: Pick<CloudContext, 'quotas'>) {
  return {
    /** Lists the limits of a user, and how much of each is used. */
    async listQuotas(call: UserCall): Promise<ReplyOf<DeviceCloudOperations['listQuotas']>> {
      return { quotas: await quotas.list(call.userId) }
    },
  }
}
