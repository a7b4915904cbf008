import { DeviceCloudError } from '../device-cloud-error.ts'
import { Secret } from '../secret.ts'

/** An API key, or a function that returns the current key, for example from a file or a key store. */
export type ApiKey = string | Secret | (() => string | Secret | Promise<string | Secret>)

/** Reads the key and remembers which one the cloud refused. */
interface KeySource {
  /** The current key. @throws {DeviceCloudError} `INVALID_OPTION`, `STATE_UNAVAILABLE`. */
  read(): Promise<string>
  /** Remembers `key` as refused. */
  refuse(key: string): void
  /** Whether there is a key now that was not refused. */
  hasNew(): Promise<boolean>
}

/** @throws {DeviceCloudError} `INVALID_OPTION` for a key that no header can carry. */
export function createKeySource(apiKey: ApiKey): KeySource {
  let refused: string | undefined
  if (typeof apiKey !== 'function') toText(apiKey)
  const read = async () => toText(await readKey(apiKey))
  return {
    read,
    refuse(key) {
      refused = key
    },
    hasNew: async () => (await read().catch(() => refused)) !== refused,
  }
}

function toText(key: string | Secret): string {
  const given: unknown = key instanceof Secret ? key.reveal() : key
  const text = typeof given === 'string' ? given.trim() : ''
  // Checked here because the platform's own message about a bad header quotes the header.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  const problem = '"apiKey" must be a string that is valid in an HTTP header. Copy the key again'
  throw new DeviceCloudError('INVALID_OPTION', `Reading the API key failed: ${problem}.`)
}

async function readKey(apiKey: ApiKey): Promise<string | Secret> {
  if (typeof apiKey !== 'function') return apiKey
  try {
    return await apiKey()
  } catch (error) {
    // No cause and no message: a parser's message may quote the file that holds the key.
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    const reason = typeof code === 'string' ? ` with ${code.slice(0, 50)}` : ''
    throw new DeviceCloudError(
      'STATE_UNAVAILABLE',
      `Reading the API key failed: the "apiKey" function threw${reason}.`,
    )
  }
}
