import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Where a server answers MCP clients. */
export interface RemoteOptions {
  /** `http://127.0.0.1:3010/mcp` */
  readonly url: string
  /** Sent as `Authorization: Bearer <token>`. @default none */
  readonly token?: string | undefined
}

/** A server on its port. The connection is made by the first use, and again after a failed one. */
export interface RemoteServer {
  use<Result>(call: (client: Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Reaches a server on its port by the official client, with whichever version of the protocol it speaks. */
export function createRemoteServer({ url, token }: RemoteOptions): RemoteServer {
  let connecting: Promise<Client> | undefined

  async function connect(): Promise<Client> {
    const client = new Client(
      { name: 'homeward-mcp', version: '0.1.0' },
      { versionNegotiation: { mode: 'auto' } },
    )
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    return client
  }

  return {
    async use(call) {
      connecting ??= connect()
      const mine = connecting
      try {
        return await call(await mine)
      } catch (error) {
        if (isAnswer(error)) throw error
        if (connecting === mine) connecting = undefined
        throw new Error(explain(url, error), { cause: error })
      }
    },
    close: async () => (await connecting?.catch(() => undefined))?.close(),
  }
}

/** An error that the server itself gave as a message of the protocol. */
const isAnswer = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'number' &&
  !(error instanceof SdkHttpError)

function explain(url: string, error: unknown): string {
  const attempt = `Reaching ${url} failed`
  const status = error instanceof SdkHttpError ? error.status : undefined
  if (status === 401)
    return `${attempt}: the token is missing or invalid. Set HOMEWARD_TOKEN to an access token.`
  if (status === 403)
    return `${attempt}: the server rejects this host name. Use an address that the server listens on.`
  if (status === 501)
    return `${attempt}: the server lacks the package "@modelcontextprotocol/server". Install the package there.`
  if (status !== undefined) return `${attempt}: the server responded with ${status}. See its log.`
  return `${attempt}: the server did not respond. Start it with "npm start", or correct --url.`
}
