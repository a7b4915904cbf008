import { DeviceCloudError } from '../device-cloud-error.ts'
import { Secret } from '../secret.ts'

/** An API key, or a function that gives the current one: from a file, a key store, the environment. */
export type ApiKey = string | Secret | (() => string | Secret | Promise<string | Secret>)

/** Reads the key and remembers which one the cloud refused. */
export interface KeySource {
  /** The current key. @throws {DeviceCloudError} `INVALID_OPTION`, `STATE_UNAVAILABLE`. */
  read(): Promise<string>
  /** Remembers `key` as refused. */
  refuse(key: string): void
  /** Whether there is a key now that was not refused. */
  hasNew(): Promise<boolean>
}

export function createKeySource(apiKey: ApiKey): KeySource {
  let refused: string | undefined
  const read = async () => {
    const key = await readKey(apiKey)
    const text = (key instanceof Secret ? key.reveal() : key).trim()
    // Checked here because the platform's own message about a bad header quotes the header.
    if (!/^[\x21-\x7e]+$/.test(text)) {
      const problem = 'it is empty or holds characters that a header cannot carry. Copy the key again'
      throw new DeviceCloudError('INVALID_OPTION', `Reading the API key failed: ${problem}.`)
    }
    return text
  }
  return {
    read,
    refuse(key) {
      refused = key
    },
    hasNew: async () => (await read().catch(() => refused)) !== refused,
  }
}

async function readKey(apiKey: ApiKey): Promise<string | Secret> {
  if (typeof apiKey !== 'function') return apiKey
  try {
    return await apiKey()
  } catch (error) {
    // No cause and no message: a parser's message may quote the file that holds the key.
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    const reason = typeof code === 'string' ? ` with ${code.slice(0, 50)}` : ''
    throw new DeviceCloudError('STATE_UNAVAILABLE', `Reading the API key failed: its source threw${reason}.`)
  }
}
