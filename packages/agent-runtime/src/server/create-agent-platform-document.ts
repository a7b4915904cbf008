import {
  Agent,
  agentPlatformOperations,
  Approval,
  Conversation,
  MemorySearchResult,
  Json,
  JournalEvent,
  Message,
  openaiErrors,
  openaiOperations,
  platformErrors,
  Run,
  RunResult,
  Skill,
} from '@homeward/contract/agent-platform'

/** Server-specific parts of the document. */
export interface AgentPlatformDocumentOptions {
  /** Server addresses. @default `/`, the address of the document */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  /** Version of the HTTP API. @default "0.1.0" */
  readonly version?: string
}

/** An OpenAPI 3.1 document. */
export interface AgentPlatformDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, object>>
  readonly components?: { readonly schemas?: Readonly<Record<string, object>> }
}

/**
 * Creates the OpenAPI 3.1 document of the HTTP API. The first call loads the generator.
 *
 * @example
 * const document = await createAgentPlatformDocument({ servers: [{ url: 'http://127.0.0.1:3010' }] })
 */
export async function createAgentPlatformDocument(
  options: AgentPlatformDocumentOptions = {},
): Promise<AgentPlatformDocument> {
  const [{ toOpenApi }, { agentPlatformExamples, openaiExamples }] = await Promise.all([
    import('@homeward/contract/openapi'),
    import('@homeward/contract/examples'),
  ])
  const shared = {
    title: 'Homeward agent platform',
    version: options.version ?? '0.1.0',
    ...(options.servers && { servers: options.servers }),
  }
  const openAi = toOpenApi({
    ...shared,
    operations: openaiOperations,
    examples: openaiExamples,
    errors: openaiErrors,
  })
  const platform = toOpenApi({
    ...shared,
    operations: agentPlatformOperations,
    examples: agentPlatformExamples,
    errors: platformErrors,
    schemas: {
      Agent,
      Approval,
      Conversation,
      MemorySearchResult,
      JournalEvent,
      Json,
      Message,
      Run,
      RunResult,
      Skill,
    },
  })
  return {
    ...platform,
    paths: { ...platform.paths, ...openAi.paths },
    components: {
      ...platform.components,
      schemas: { ...platform.components?.schemas, ...openAi.components?.schemas },
    },
  }
}
