import { createPrivateKey, sign } from 'node:crypto'
import type { ChannelRequest } from '../../../ports/channel.ts'
import { fixture, webhookRequest } from '../../testing/platform-kit.ts'

interface TestKeys {
  readonly discord: { readonly seed_hex: string; readonly public_key: string }
}
const { discord } = fixture('vectors.json')['test_keys'] as TestKeys // its documented shape

/** Key that checks what {@link signDiscord} signs. */
export const testPublicKey = discord.public_key

/** A webhook request as Discord signs it, with the published key of the tests. */
export function signDiscord(body: string, timestamp: string | number): ChannelRequest {
  const key = createPrivateKey({
    // how PKCS #8 wraps a seed of 32 bytes
    key: Buffer.from(`302e020100300506032b657004220420${discord.seed_hex}`, 'hex'),
    format: 'der',
    type: 'pkcs8',
  })
  return webhookRequest(body, {
    'x-signature-timestamp': String(timestamp),
    'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), key).toString('hex'),
  })
}
