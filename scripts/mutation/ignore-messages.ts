/** What this file needs of a node of the syntax tree. */
interface Node {
  readonly type: string
  readonly value?: unknown
  readonly callee?: { readonly name?: string }
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

interface NodePath {
  readonly node: Node
  readonly parentPath: NodePath | null
}

/**
 * Leaves the words of errors as they are: a message is for people and may change with any release, so no test holds its
 * wording. A code, a status or a name has no blank in it, and is not left out.
 */
function shouldIgnore(path: NodePath): string | undefined {
  if (!textOf(path.node)?.includes(' ')) return undefined
  for (let above = path.parentPath; above !== null; above = above.parentPath) {
    if (isFailure(above.node)) return 'The wording of a message.'
    if (above.node.type.endsWith('Statement')) return undefined
  }
  return undefined
}

function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return String(node.value)
  if (node.type === 'TemplateLiteral') return node.quasis?.map(({ value }) => value.raw).join('')
  return undefined
}

// `new RuntimeError(…)`, `throw validationError(…)`, `invalid(…)`
function isFailure({ type, callee }: Node): boolean {
  if (type === 'ThrowStatement') return true
  const isCall = type === 'NewExpression' || type === 'CallExpression'
  return isCall && /error$|failure$|^(?:fail|invalid|refuse)/i.test(callee?.name ?? '')
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'messages', value: { shouldIgnore } }]
