import { buildPackage } from './packs/build-package.ts'
import { publishedPackages } from './workspace-packages.ts'

// One after the other: the types of a package are made against the built types of those that it imports.
for (const one of publishedPackages()) {
  console.log(`build ${one.name}`)
  const code = await buildPackage(one)
  if (code !== 0) process.exit(code)
}
