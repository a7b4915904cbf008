import { ClientError } from '@homeward/contract/client'

/** Whether the caller lacks the grant for what was asked for. */
export const isForbidden = (error: unknown): boolean => ClientError.is(error) && error.status === 403
