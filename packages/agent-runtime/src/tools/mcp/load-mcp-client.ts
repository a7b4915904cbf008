import type * as client from '@modelcontextprotocol/sdk/client/index.js'
import type * as streamableHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type * as stdio from '@modelcontextprotocol/sdk/shared/stdio.js'
import type * as types from '@modelcontextprotocol/sdk/types.js'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** What is used of the official client package. */
export type McpClientModules = typeof client & typeof types & typeof stdio & typeof streamableHttp

/**
 * Loads the MCP client when a server is asked for first.
 *
 * @throws {RuntimeError} `run_error` that names the package to install.
 */
export async function loadMcpClient(load?: () => Promise<McpClientModules>): Promise<McpClientModules> {
  // each awaited in a `try`, by which bundlers know a package that may be missing
  try {
    if (load) return await load()
    return {
      ...(await import('@modelcontextprotocol/sdk/client/index.js')),
      ...(await import('@modelcontextprotocol/sdk/types.js')),
      ...(await import('@modelcontextprotocol/sdk/shared/stdio.js')),
      ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    }
  } catch (cause) {
    const text =
      'Using MCP servers failed: the package "@modelcontextprotocol/sdk" is not installed. Run: npm install @modelcontextprotocol/sdk'
    throw new RuntimeError('run_error', text, { cause })
  }
}
