import { ClientError } from '@homeward/contract/client'

/** Whether there is nothing of what was asked for. */
export const isGone = (error: unknown): boolean => ClientError.is(error) && error.status === 404

/** Waits for a deletion. What is gone by now is as good: somebody else deleted it, or a try before, whose answer was lost. */
export async function untilGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!isGone(error)) throw error
  })
}

/** Whether the caller lacks the grant for what was asked for. */
export const isForbidden = (error: unknown): boolean => ClientError.is(error) && error.status === 403
