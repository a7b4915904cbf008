/** Largest message of an MCP server, in bytes: room for a picture of 20 MiB as base64. */
export const maxMessageBytes = 32 * 1024 * 1024
