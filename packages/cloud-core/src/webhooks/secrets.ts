import { isWebhookSecret } from '@homeward/kit/webhooks'
import { encrypt, decrypt } from '@homeward/kit'

/** The secret of a webhook as it is stored: sealed if the cloud has a `keySecret`. It has to be read to sign. */
export async function sealSecret(secret: string, keySecret: string | undefined): Promise<string> {
  return keySecret === undefined ? secret : await encrypt(secret, keySecret)
}

/** Reads stored secrets. Deriving a key takes long by intention, so the last ones that were read are remembered. */
export function createSecretReader(keySecret: string | undefined, maxCached = 1000) {
  const read = new Map<string, string>()
  return async (stored: string): Promise<string | undefined> => {
    if (isWebhookSecret(stored)) return stored
    const known = read.get(stored)
    if (known !== undefined || keySecret === undefined) return known
    const secret = await decrypt(stored, keySecret)
    if (secret === undefined) return undefined
    if (read.size >= maxCached) read.delete(read.keys().next().value!)
    read.set(stored, secret)
    return secret
  }
}
