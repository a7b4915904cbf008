import { join } from 'node:path'
import { createConfigFile, createConfigInMemory } from '../../settings/config-file.ts'
import { createMcpServers, type McpServers } from './create-mcp-servers.ts'
import { createKnownTools } from './known-tools.ts'
import { createMcpCatalog, type McpCatalog } from './mcp-catalog.ts'
import { createMcpConfigs, makePrivate } from './mcp-configs.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { createMcpTokens } from './mcp-tokens.ts'
import type { Logger } from '../../ports/logger.ts'
import type { UserLogins } from '../../ports/user-logins.ts'

/** MCP servers: what runs use, and what operators see. */
export interface Mcp {
  readonly servers: McpServers
  readonly catalog: McpCatalog
  readonly logins: UserLogins
}

/** Settings of {@link openMcp}. */
export interface McpOptions extends Omit<McpLinkOptions, 'tokens'> {
  /** Address at which people reach the platform; undefined if it is not known. */
  readonly publicUrl: () => Promise<string | undefined>
  /** Lets runs go on that wait for the login of a user. */
  readonly onLogin: (server: string, userId: string) => Promise<void>
  /** Data home with `mcp.json`. @default none: servers that are added are forgotten at the end */
  readonly home: string | undefined
  /** Servers that the app names in code. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  readonly maxResultBytes: number
  readonly logger: Logger
}

/** Opens the MCP servers of the app and of the data home. Nothing is started or called yet. */
export function openMcp({ home, servers: ofApp, ...options }: McpOptions): Mcp {
  const fileOf = (name: string) => {
    if (home === undefined) return createConfigInMemory()
    makePrivate(join(home, name))
    return createConfigFile(join(home, name))
  }
  const lock = home === undefined ? undefined : join(home, 'mcp-oauth.lock')
  const tokens = createMcpTokens({ file: fileOf('mcp-oauth.json'), lock, now: options.now })
  const configs = createMcpConfigs(fileOf('mcp.json'), ofApp)
  const known = createKnownTools(home === undefined ? undefined : join(home, 'mcp-tools'), options.logger)
  const parts = { ...options, tokens, configs, known }
  const servers = createMcpServers(parts)
  const pending = fileOf('mcp-logins.json')
  const { users, ...catalog } = createMcpCatalog({ ...parts, servers, pending })
  return { servers, catalog, logins: users }
}
