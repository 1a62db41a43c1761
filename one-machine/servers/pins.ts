/**
 * SHA-256 sums of the publishers' executables, by address. They are pinned here, since a sum from the same origin as
 * the file does not authenticate the file. Each was found in other projects that pin the same file; a wrong one only
 * costs a build from source.
 */
const kubernetes = 'https://dl.k8s.io/release/v1.36.3/bin'
const etcd = 'https://github.com/etcd-io/etcd/releases/download/v3.6.8'
const kwok = 'https://github.com/kubernetes-sigs/kwok/releases/download/v0.8.0'
const loki = 'https://github.com/grafana/loki/releases/download/v3.7.8'
const temporal = 'https://github.com/temporalio/cli/releases/download/v1.5.1/temporal_cli_1.5.1'

/** Missing: the programs of the control plane and kube-proxy, whose sums no other project has published. */
export const pins: Readonly<Record<string, string>> = {
  [`${kubernetes}/linux/amd64/kubectl`]: 'ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336',
  [`${kubernetes}/linux/arm64/kubectl`]: '3d86f24401c41ae5a46ac50eef8865fe891d3647d324a0836f6c63757a126e62',
  [`${kubernetes}/darwin/amd64/kubectl`]: '158b3b46cf74e8b6bd9b1d7cd30f665e3efb2bc1ec3c843ec925bcfdd2930de0',
  [`${kubernetes}/darwin/arm64/kubectl`]: 'fc8582acde13869a606730a79379d6515f30c68afcced0b5ac8789d5d002b7d6',
  [`${kubernetes}/linux/amd64/kubelet`]: '46707a53209f826ad0f0d62371ac69cd00e78fd9a8176cf5f6f87f18f7f8b718',
  [`${kubernetes}/linux/arm64/kubelet`]: '57205a5daf5883873d87b4914e1e00bdd7707acd075714788cfb0fc1f60bc414',
  [`${etcd}/etcd-v3.6.8-linux-amd64.tar.gz`]: 'cf9cfe91a4856cb90eed9c99e6aee4b708db2c7888b88a6f116281f04b0ea693',
  [`${etcd}/etcd-v3.6.8-linux-arm64.tar.gz`]: '438f56a700d17ce761510a3e63e6fa5c1d587b2dd4d7a22c179c09a649366760',
  [`${kwok}/kwok-linux-amd64`]: 'f5a4385a2ae1b9dd7f8acae18e002a75c0ebba124ae9d7259aa8dadb50711f46',
  [`${kwok}/kwok-linux-arm64`]: '628f7d277860f524a2a775c217adcc58828e7b59ab0933680315784f1b8b0e37',
  [`${kwok}/kwok-darwin-arm64`]: '69a064ec98d37844d9d742b5b28ff57825659a983ccc3e208daa6948b94d64ba',
  [`${loki}/loki-linux-amd64.zip`]: '62aea42c9cba52cd1642b3666ab37019a0ce4c24ab50b07e85dccc8d812f7d61',
  [`${temporal}_linux_amd64.tar.gz`]: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  [`${temporal}_linux_arm64.tar.gz`]: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  [`${temporal}_darwin_amd64.tar.gz`]: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  [`${temporal}_darwin_arm64.tar.gz`]: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
}
