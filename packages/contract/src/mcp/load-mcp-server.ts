import type * as server from '@modelcontextprotocol/server'
import { HttpError } from '../handler/http-error.ts'

/** The official package by which programs serve MCP. Not public: who lacks the package could not read its types. */
export type McpServerModule = typeof server

/**
 * Loads the official package when the first message arrives, because most servers never get one.
 *
 * @throws {HttpError} 501 that names the package to install.
 */
export async function loadMcpServer(load?: () => Promise<object>): Promise<McpServerModule> {
  // awaited in a `try`, by which bundlers know a package that may be missing
  try {
    return load ? ((await load()) as McpServerModule) : await import('@modelcontextprotocol/server')
  } catch (cause) {
    const message =
      'Serving MCP failed: the package "@modelcontextprotocol/server" is not installed on this server. Run: npm install @modelcontextprotocol/server'
    throw Object.assign(new HttpError(501, { error: 'Not implemented', message }), { cause })
  }
}
