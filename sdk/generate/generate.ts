/**
 * Writes what the SDKs have of the OpenAPI document, and compiles the TypeScript SDK. `npm run sdk`
 * rewrites it; with `--check` it changes nothing and exits 1 if a file differs.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compileTypescript } from './compile.ts'
import { readModel } from './document.ts'
import type { Model } from './model.ts'
import { printPhp } from './php.ts'
import { printPython } from './python.ts'
import { printTypescript } from './typescript.ts'

/** Each gives the texts of files, by their paths from the root. */
const printers: ((model: Model) => Record<string, string>)[] = [
  printTypescript,
  printPython,
  printPhp,
]

/** Folders with generated files only: a file that is no longer generated is deleted. */
const generated = ['sdk/php/src/Generated/**/*.php', 'sdk/typescript/dist/**/*.*']

const root = join(import.meta.dirname, '../..')
const check = process.argv.includes('--check')
const model = readModel()
const printed: Record<string, string> = Object.assign({}, ...printers.map((print) => print(model)))
write(printed)
const compiled = compileTypescript()
write(compiled)
const files = { ...printed, ...compiled }
for (const file of globSync(generated, { cwd: root }).filter((file) => !(file in files))) {
  if (check) {
    console.error(`${file} is no longer generated: run \`npm run sdk\`.`)
    process.exitCode = 1
  } else {
    rmSync(join(root, file))
    console.log(`${file} is deleted.`)
  }
}

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    if (check) {
      console.error(`${file} is out of date: run \`npm run sdk\`.`)
      process.exitCode = 1
    } else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      console.log(`${file} is rewritten.`)
    }
  }
}
