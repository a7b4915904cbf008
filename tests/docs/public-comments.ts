import { join } from 'node:path'
import ts from 'typescript'
import type { WorkspacePackage } from '../../scripts/workspace-packages.ts'
import { compilerOptions } from '../../scripts/compiler-options.ts'

/**
 * What importers can name and nothing explains: exported names, members of `*Options` and `*Settings`, methods, and
 * functions that build something without showing how.
 *
 * @returns `@homeward/device-sdk: DeviceAgent.stop` or `…: createOutbox, without an example`, one for each.
 */
export function withoutComment(packages: readonly Pick<WorkspacePackage, 'folder' | 'entries'>[]): string[] {
  const entries = packages.flatMap(({ folder, entries: own }) => {
    return own.map(({ specifier, source }) => ({ specifier, file: join(folder, source) }))
  })
  const files = entries.map(({ file }) => file)
  const program = ts.createProgram(files, compilerOptions())
  const checker = program.getTypeChecker()
  const missing = entries.flatMap(({ specifier, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    const names = module ? checker.getExportsOfModule(module) : []
    return names.flatMap((name) => {
      const target = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name
      const own = target.getDocumentationComment(checker).length === 0 ? [name.name] : []
      if (!hasExample(target, checker)) own.push(`${name.name}, without an example`)
      return [...own, ...membersWithout(target, name.name)].map((each) => `${specifier}: ${each}`)
    })
  })
  return [...new Set(missing)]
}

function hasExample(target: ts.Symbol, checker: ts.TypeChecker): boolean {
  if ((target.flags & ts.SymbolFlags.Function) === 0 || !target.name.startsWith('create')) return true
  return target.getJsDocTags(checker).some(({ name }) => name === 'example')
}

function membersWithout(target: ts.Symbol, owner: string): string[] {
  const declarations = (target.declarations ?? []).filter(
    (node) => ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node),
  )
  return declarations
    .flatMap((declaration): readonly (ts.TypeElement | ts.ClassElement)[] => declaration.members)
    .filter((member) => needsComment(member, owner) && ts.getJSDocCommentsAndTags(member).length === 0)
    .map((member) => `${owner}.${member.name?.getText() ?? ''}`)
}

/** What every reader knows: what an object becomes as text. */
const wellKnown = /^(toString|toJSON|\[Symbol\.for\('nodejs\.util\.inspect\.custom'\)\])$/

function needsComment(member: ts.TypeElement | ts.ClassElement, owner: string): boolean {
  if (!member.name || wellKnown.test(member.name.getText())) return false
  if (ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) return true
  return ts.isPropertySignature(member) && /(Options|Settings)$/.test(owner)
}
