import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { workspaceFolder } from '../workspace-packages.ts'

/** Reads a source file, by its path from the workspace's top folder. */
function parseSource(path: string): ts.SourceFile {
  const text = readFileSync(join(workspaceFolder, path), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
}

/** The text of the JSDoc comment of a declaration on one line, with its default; empty when there is none. */
function commentOf(node: ts.Node): string {
  const fallback = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'default')
  const tail = fallback ? ` Default: ${ts.getTextOfJSDocComment(fallback.comment) ?? ''}.` : ''
  return (rawCommentOf(node) + tail).replaceAll(/\s+/g, ' ').trim()
}

/** The same with its lines as they are. Links to names become the names. */
function rawCommentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? ''
  return text.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
}

/** What is said about the fields of object literals, by the path to them: `deviceCloudOperations.listDevices.query.limit`. */
interface FieldComments {
  readonly comments: ReadonlyMap<string, string>
  /** Fields whose value is a variable, with its name: what is said about that one's fields counts for them. */
  readonly variables: ReadonlyMap<string, string>
}

/** Reads the comments of the fields in one file. */
export function fieldComments(path: string): FieldComments {
  const comments = new Map<string, string>()
  const variables = new Map<string, string>()
  const visit = (node: ts.Node, place: string) => {
    let inner = place
    if (ts.isVariableDeclaration(node)) inner = node.name.getText()
    if (ts.isPropertyAssignment(node)) {
      inner = `${place}.${node.name.getText()}`
      const comment = commentOf(node)
      if (comment !== '') comments.set(inner, comment)
      if (ts.isIdentifier(node.initializer)) variables.set(inner, node.initializer.text)
    }
    ts.forEachChild(node, (child) => visit(child, inner))
  }
  visit(parseSource(path), '')
  return { comments, variables }
}

/** A documented event: its name, what it tells, and the type of its payload. */
export interface EventComment {
  readonly name: string
  readonly comment: string
  readonly payload: string
}

/** The events of an interface that has one property for each, of the payload's type or of the listener's. */
export function eventComments(path: string, interfaceName: string): EventComment[] {
  const source = parseSource(path)
  const found = source.statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === interfaceName,
  )
  if (!found || !ts.isInterfaceDeclaration(found))
    throw new Error(`Could not find ${interfaceName} in ${path}.`)
  return found.members.filter(ts.isPropertySignature).map((member) => {
    const listened =
      member.type && ts.isFunctionTypeNode(member.type) ? member.type.parameters[0]?.type : member.type
    const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText()
    return { name, comment: commentOf(member), payload: listened?.getText() ?? '' }
  })
}

function findUnion(
  path: string,
  typeName: string,
): ts.TypeAliasDeclaration & { readonly type: ts.UnionTypeNode } {
  const alias = parseSource(path).statements.find(
    (node) => ts.isTypeAliasDeclaration(node) && node.name.text === typeName,
  )
  if (!alias || !ts.isTypeAliasDeclaration(alias) || !ts.isUnionTypeNode(alias.type)) {
    throw new Error(`Could not find the union ${typeName} in ${path}.`)
  }
  return Object.assign(alias, { type: alias.type })
}

/** A union as it is written: `'searches' | 'uploads'`. */
export function unionText(path: string, typeName: string): string {
  return findUnion(path, typeName)
    .type.types.map((type) => type.getText())
    .join(' | ')
}

/**
 * The members of a union of text literals with what its comment says about each: lines of the form "- `CODE`: text".
 *
 * @throws when a member has no such line, or a line has no such member.
 */
export function codeComments(path: string, typeName: string): Map<string, string> {
  const alias = findUnion(path, typeName)
  const members = alias.type.types.map((type) => type.getText().replaceAll("'", ''))
  const comments = new Map<string, string>()
  for (const [, member = '', text = ''] of rawCommentOf(alias).matchAll(
    /^- `(\w+)`: ([^]*?)(?=\n- |\n\n|$(?![^]))/gm,
  )) {
    comments.set(member, text.replaceAll(/\s+/g, ' ').trim())
  }
  const missing = members.filter((member) => !comments.has(member))
  const unknown = [...comments.keys()].filter((member) => !members.includes(member))
  if (missing.length + unknown.length > 0) {
    const problem = `without a comment: ${missing.join(', ') || 'none'}; not a member: ${unknown.join(', ') || 'none'}`
    throw new Error(`Could not document ${typeName} of ${path}: ${problem}.`)
  }
  return comments
}
