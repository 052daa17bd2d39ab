# SPDX-License-Identifier: GPL-2.0
#
# The verbs.  What the modules are made of is in Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build
RELEASE = $(shell $(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease)
DESTDIR ?=
T ?=
J ?= $(shell nproc)

MODULES := ohca_pci ohca_soft ohca_core

all: modules

help:
	@echo 'On the host:'
	@echo '  make [KDIR=...]      build the modules, for the running kernel by default'
	@echo '  make install         install them for that kernel; make uninstall takes them away'
	@echo '  make dkms-install    hand them to DKMS; make dkms-remove takes them away'
	@echo 'In the virtual machine, and natively (they install what they need, as root):'
	@echo '  make demo            two OpenHCA devices move RDMA traffic'
	@echo '  make demo-hca        the same between two PCI HCAs, which are device models'
	@echo '  make check           every test: lint, sim, model, selftest, kunit, vm-test'
	@echo '  make sim             the transport under a bad wire, natively'
	@echo '  make model           the device model without a virtual machine, and its fuzzers'
	@echo '  make selftest        does the virtual machine fail when it should?'
	@echo '  make kunit           the unit tests, in the test kernel'
	@echo '  make vm-test         the integration tests; T="name ..." picks some'
	@echo '  make lint            checkpatch, sparse, W=1, kernel-doc, shellcheck'
	@echo '  make bench           OpenHCA, rxe, siw and TCP side by side'
	@echo '  make clean           remove what was built here (the cache stays)'

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) -j$(J) modules

install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=extra \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(RELEASE)

uninstall:
	rm -f $(foreach m,$(MODULES) ohca_kunit,$(DESTDIR)/lib/modules/$(RELEASE)/extra/$(m).ko*)
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(RELEASE)

dkms-install dkms-remove:
	scripts/dkms $(@:dkms-%=%)

demo demo-hca check lint bench kunit:
	scripts/$@

vm-test:
	scripts/vm-test $(T)

sim:
	scripts/sim

model:
	scripts/model

selftest:
	scripts/vm-selftest

clean:
	rm -rf .tmp_versions Module.symvers modules.order .module-common.o .*.cmd
	rm -f ohca_*.o ohca_*.ko ohca_*.mod ohca_*.mod.c ohca_*.mod.o
	find drivers kunit -name '*.o' -delete -o -name '.*.cmd' -delete
	@if [ -e tools/sim/Makefile ]; then $(MAKE) -C tools/sim clean; fi
	@if [ -e tools/model/Makefile ]; then $(MAKE) -C tools/model clean; fi

.PHONY: all help modules install uninstall dkms-install dkms-remove demo demo-hca check \
	lint bench kunit vm-test sim model selftest clean
