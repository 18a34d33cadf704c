/**
 * Compiles the TypeScript SDK to what its users import and require. The repository has the result,
 * so that npm installs the SDK from a clone or a git URL without a build.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Returns the texts of `sdk/typescript/dist`, by their paths from the root. */
export function compileTypescript(): Record<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-dist-'))
  const compile = (project: string, outDir: string): void => {
    const args = ['-p', join(root, 'sdk/typescript', project), '--outDir', outDir]
    execFileSync(join(root, 'node_modules/.bin/tsc'), args, { stdio: ['ignore', 2, 2] })
  }
  try {
    compile('tsconfig.json', dir)
    compile('tsconfig.cjs.json', join(dir, 'cjs'))
    const texts = globSync('**/*.{js,ts}', { cwd: dir })
      .sort()
      .map((file) => [`sdk/typescript/dist/${file}`, readFileSync(join(dir, file), 'utf8')])
    return {
      ...Object.fromEntries(texts),
      'sdk/typescript/dist/cjs/package.json': '{"type":"commonjs"}\n',
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
