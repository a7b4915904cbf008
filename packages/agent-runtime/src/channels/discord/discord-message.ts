import * as z from 'zod/mini'
import type { MessageButton } from '../../ports/channel.ts'
import { toHex } from '../webhooks/verify-hmac.ts'

const buttonStyles = { positive: 3, negative: 4, plain: 2 } as const

/** Buttons as a row of components. */
export const toComponents = (buttons: readonly MessageButton[]) => [
  {
    type: 1,
    components: buttons.map(({ label, command, style }) => ({
      type: 2,
      style: buttonStyles[style ?? 'plain'],
      label,
      custom_id: command,
    })),
  },
]

/** What Discord knows a repeat of a message by. */
export async function toNonce(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  // Discord takes 25 characters
  return toHex(new Uint8Array(digest)).slice(0, 25)
}

const Sent = z.object({ id: z.string() })

/** The id of a message that Discord has taken. */
export function toSent(json: unknown): { id?: string } {
  const sent = Sent.safeParse(json)
  return sent.success ? { id: sent.data.id } : {}
}
